package mercury

import (
	"slices"

	"fmt"

	"github.com/culink/culink/linker/arch"
	"github.com/culink/culink/linker/hazard"
	"github.com/culink/culink/linker/mercury/capsule"
	"github.com/culink/culink/linker/mercury/codemap"
	"github.com/culink/culink/linker/nvinfo"
	"github.com/culink/culink/linker/sass"
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
// tell of it.
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

// A Result is a function after the finalizer. Text and Capsule are those of the
// Function, borrowed, when they did not change.
type Result struct {
	Changes Changes
	Text    []byte
	Capsule []byte
	Map     codemap.Map

	Passes []PassReport // the passes that changed something, in their order
	Kept   fmt.Stringer // why the scoreboards of the input stay where nvlink assigns others; nil where they do not
}

// A PassReport is what one pass changed.
type PassReport struct {
	Name, Rule string
	Changes    Changes
}

// String says so in words: "self moves (KIT-143): distances".
func (p PassReport) String() string { return fmt.Sprintf("%s (%s): %v", p.Name, p.Rule, p.Changes) }

// Finalize runs the passes over a function of a final link. Relocations, symbols, attributes and debug sections are the
// caller's: they follow Result.Map.
//
// Its error, a *cubin.FormatError, is about machine code or a capsule that is damaged
// (MERC-102).
func Finalize(f Function) (Result, error) { return FinalizeEdited(f, nil) }

// A Line is an instruction of edited code: instruction Number of the code before the edit, or one that is Inserted before it.
type Line struct {
	sass.Instruction
	Number   int
	Inserted bool
}

// FinalizeEdited is [Finalize] with an edit of the finalized code, without its padding. The edit returns the new code, whose
// numbers rise, or nil to change nothing. Text and Map are those of the new code, Changes has [Waits]; the Capsule is that of the code before.
func FinalizeEdited(f Function, edit func(code []sass.Instruction) []Line) (Result, error) {
	r := Result{Text: f.Text, Capsule: f.Capsule}
	w, err := open(f)
	if err != nil {
		return r, err
	}
	for i := range passes {
		p := &passes[i]
		if !p.when(w) {
			continue
		}
		if did := p.run(w); did != Clean {
			w.changes |= did
			r.Passes = append(r.Passes, PassReport{p.name, p.rule, did})
		}
	}
	r.Changes, r.Kept = w.changes, w.kept
	if r.Capsule, err = w.codeMap().Capsule(w.capsule, w.steps, f.CapsuleAt); err != nil {
		return r, err
	}
	if edit != nil {
		r.Changes |= w.edit(edit)
	}
	m := w.codeMap()
	if !m.Moved() && r.Changes&Replaced == 0 {
		if r.Changes&(Recoloured|Waits) != 0 {
			r.Text = encode(w.steps, f.Text)
		}
		return r, nil
	}
	r.Map = m
	r.Text, err = m.Code(w.steps, f.TextAt)
	return r, err
}

// edit changes the code as FinalizeEdited says.
func (w *work) edit(edit func(code []sass.Instruction) []Line) Changes {
	code := make([]sass.Instruction, len(w.steps))
	for i, x := range w.steps {
		code[i] = x.Instruction
	}
	lines := edit(code)
	if lines == nil {
		return Clean
	}
	edited := make([]codemap.Step, len(lines))
	for i, l := range lines {
		if edited[i] = w.steps[l.Number]; l.Inserted {
			edited[i] = codemap.Step{Old: w.steps[l.Number].Old, Inserted: true, Spacing: true}
		}
		edited[i].Instruction = l.Instruction
	}
	w.steps = edited
	return Waits
}

// encode returns text with the instructions of steps.
func encode(steps []codemap.Step, text []byte) []byte {
	out := make([]byte, 0, len(text))
	for _, x := range steps {
		out = x.Append(out)
	}
	return append(out, text[len(out):]...)
}
