package mercury

import (
	"slices"

	"github.com/culink/culink/linker/arch"
	"github.com/culink/culink/linker/hazard"
	"github.com/culink/culink/linker/mercury/capsule"
	"github.com/culink/culink/linker/mercury/codemap"
	"github.com/culink/culink/linker/nvinfo"
)

// A Function is one function of a final link, as its input holds it.
type Function struct {
	Text    []byte // .text.<f>, before relocations
	Capsule []byte // .nv.capmerc.text.<f>
	Entry   bool   // it is a kernel
	Partial bool   // the link is one with -r
	Debug   bool   // the link is one with -g
	Stub    bool   // it is the stub of a unified function

	// Targets says, by the offset of an indirect branch, to which offsets it may lead.
	Targets map[uint64][]uint64

	// WaitsAtExit: errors are waited for at exits, because the link is one with -g or has
	// code that was compiled with -G.
	WaitsAtExit bool

	From           arch.Scheduler // who scheduled the code
	arch.Finalizer                // of the release: what it does otherwise than that of 13.0, where From has not done so

	Input, Target int // the SM that it was compiled for, and that of the link

	TextAt, CapsuleAt capsule.Place // for errors
}

// FunctionOf returns a function of the finalizer of a release, for SM input in a link for SM target, with what its attributes
// describe it.
func FunctionOf(attributes []nvinfo.Record, release arch.Finalizer, input, target int) Function {
	return Function{
		Stub: slices.ContainsFunc(attributes, func(r nvinfo.Record) bool { return r.Code == nvinfo.StubFunctionKind }),
		From: nvinfo.SchedulerOf(attributes), Finalizer: release, Targets: hazard.Targets(attributes),
		Input: input, Target: target,
	}
}

// Concerned reports whether a link finalizes f. A relocatable link does no more than what links for debuggers need, and what
// the release does in any link.
func (f *Function) Concerned() bool {
	return !f.Partial || f.WaitsAtExit || f.WaitsAtCalls || f.From.Early || WaitsAtExit(f.Text, f.Capsule)
}

// closesDistances reports whether the issue distances of FP64 instructions go: the release has none, and the code has (KIT-050).
func (f *Function) closesDistances() bool { return f.ClosesDistances && !f.From.Close }

// RegisterPolicyOf returns how a release maps the registers that debug information describes.
func RegisterPolicyOf(p *arch.Profile) codemap.RegisterPolicy {
	return codemap.RegisterPolicy{Paired: p.Emit.PairsRegisters, AfterPause: p.Emit.PausesRegisters}
}
