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

	// Targets has the possible targets of each indirect branch; all are offsets.
	Targets map[uint64][]uint64

	// WaitsAtExit: exits wait for errors, because the link is with -g or has code that was compiled with -G.
	WaitsAtExit bool

	From           arch.Scheduler // of the compiler that scheduled the code
	arch.Finalizer                // the changes of the release since 13.0, except those that From has made already

	Input, Target int // the SM that the code was compiled for, and the SM of the link

	TextAt, CapsuleAt capsule.Place // for errors
}

// FunctionOf returns a function for the finalizer of a release, for code of SM input in a link for SM target,
// with the properties in its attributes.
func FunctionOf(attributes []nvinfo.Record, release arch.Finalizer, input, target int) Function {
	return Function{
		Stub: slices.ContainsFunc(attributes, func(r nvinfo.Record) bool { return r.Code == nvinfo.StubFunctionKind }),
		From: nvinfo.SchedulerOf(attributes), Finalizer: release, Targets: hazard.Targets(attributes),
		Input: input, Target: target,
	}
}

// Concerned reports if a link finalizes f. A relocatable link finalizes only as far as links for debuggers need
// it, and as far as the release does in every link.
func (f *Function) Concerned() bool {
	return !f.Partial || f.WaitsAtExit || f.WaitsAtCalls || f.From.Early || WaitsAtExit(f.Text, f.Capsule)
}

// closesDistances reports if the issue distances of double-precision instructions are removed: the code has
// them, and the release does not (KIT-050).
func (f *Function) closesDistances() bool { return f.ClosesDistances && !f.From.Close }

// RegisterPolicyOf returns how a release maps the registers in debug information.
func RegisterPolicyOf(p *arch.Profile) codemap.RegisterPolicy {
	return codemap.RegisterPolicy{Paired: p.Emit.PairsRegisters, AfterPause: p.Emit.PausesRegisters}
}
