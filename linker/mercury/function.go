package mercury

import (
	"slices"

	"github.com/culink/culink/linker/arch"
	"github.com/culink/culink/linker/hazard"
	"github.com/culink/culink/linker/mercury/capsule"
	"github.com/culink/culink/linker/mercury/codemap"
	"github.com/culink/culink/linker/nvinfo"
)

// A Function is one function of a final link, as it is in the input.
type Function struct {
	Text    []byte // .text.<f>, before relocations
	Capsule []byte // .nv.capmerc.text.<f>
	Entry   bool   // it is a kernel
	Partial bool   // the link is with -r
	Debug   bool   // the link is with -g
	Stub    bool   // the function is the stub of a unified function
	Whole   bool   // it is of an extensible whole program: all code that it calls is inside of it

	// Targets holds the possible targets of each indirect branch. Keys and values are offsets in the code.
	Targets map[uint64][]uint64

	// WaitsAtExit is set if exits wait for memory errors, because the link is with -g or has code that was
	// compiled with -G.
	WaitsAtExit bool

	From           arch.Scheduler // of the compiler that scheduled the code
	arch.Finalizer                // the changes of the release since 13.0, except those that From has made already

	Input, Target int // the SM that the code was compiled for, and the SM of the link

	TextAt, CapsuleAt capsule.Place // for errors
}

// FunctionOf returns a function for the finalizer of a release, with the properties that its attributes
// describe. input and target are the SM numbers of its code and of the link.
func FunctionOf(attributes []nvinfo.Record, release arch.Finalizer, input, target int) Function {
	return Function{
		Stub: slices.ContainsFunc(attributes, func(r nvinfo.Record) bool { return r.Code == nvinfo.StubFunctionKind }),
		From: nvinfo.SchedulerOf(attributes), Finalizer: release, Targets: hazard.Targets(attributes),
		Input: input, Target: target,
	}
}

// closesDistances reports whether the issue distances of FP64 instructions are removed. They are if the code
// has them and the release does not use them (KIT-050).
func (f *Function) closesDistances() bool { return f.ClosesDistances && !f.From.Close }

// RegisterPolicyOf returns how a release changes the registers in debug information.
func RegisterPolicyOf(p *arch.Profile) codemap.RegisterPolicy {
	return codemap.RegisterPolicy{Paired: p.Emit.PairsRegisters, AfterPause: p.Emit.PausesRegisters}
}
