package mercury

import (
	"fmt"
	"slices"

	"github.com/culink/culink/linker/arch"
	"github.com/culink/culink/linker/hazard"
	"github.com/culink/culink/linker/mercury/internal/machine"
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

	// Like is machine code of an output that is judged, if any: what does nothing but take time
	// stands where it does there (KIT-055).
	Like []byte

	Input, Target int // the SM that it was compiled for, and that of the link

	TextAt, CapsuleAt Place // for errors
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
	Map     Map
	// Unspaced is the number in the Capsule of each instruction of the Text, where these differ
	// because the Function has a Like; else nil.
	Unspaced []int

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

// padding is the least number of NOPs at the end of a function, and what its length in
// instructions is a multiple of.
const padding = 8

// Finalize runs the passes over a function of a final link. Relocations, symbols, attributes and debug sections are the
// caller's: they follow Result.Map.
//
// Its error, a *cubin.FormatError, is about machine code or a capsule that is damaged
// (MERC-102).
func Finalize(f Function) (Result, error) {
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
	if r.Capsule, err = w.codeMap().capsule(w.capsule, w.steps, f.CapsuleAt); err != nil {
		return r, err
	}
	if spaced, unspaced := spacedLike(w.steps, f.Like); spaced != nil {
		r.Changes |= Spaced
		w.steps, r.Unspaced = spaced, unspaced
	}
	m := w.codeMap()
	if !m.Moved() && r.Changes&Replaced == 0 {
		if r.Changes&(Recoloured|Waits) != 0 {
			r.Text = encode(w.steps, f.Text)
		}
		return r, nil
	}
	r.Map = m
	r.Text, err = m.code(w.steps, f.TextAt)
	return r, err
}

// body decodes the machine code without the padding at its end.
func body(text []byte) []machine.Instr {
	code := make([]machine.Instr, 0, len(text)/InstructionSize)
	for ; len(text) > 0; text = text[InstructionSize:] {
		code = append(code, machine.Decode(text))
	}
	for len(code) > 0 && code[len(code)-1].Op() == sass.OpNOP {
		code = code[:len(code)-1]
	}
	return code
}

// encode returns text with the instructions of steps.
func encode(steps []step, text []byte) []byte {
	out := make([]byte, 0, len(text))
	for _, x := range steps {
		out = x.Append(out)
	}
	return append(out, text[len(out):]...)
}

// padded is the length in bytes of a function of n instructions.
func padded(n int) uint64 {
	return uint64(n+padding+padding-1) / padding * padding * InstructionSize
}

// code returns the new code, with its padding.
func (m Map) code(steps []step, at Place) ([]byte, error) {
	list, err := m.instructions(steps, at)
	if err != nil {
		return nil, err
	}
	out := make([]byte, 0, m.after)
	for _, x := range list {
		out = x.Append(out)
	}
	for uint64(len(out)) < m.after {
		out = machine.NOP.Append(out)
	}
	return out, nil
}

// instructions returns the instructions of the new code, with their displacements to the new
// places.
func (m Map) instructions(steps []step, at Place) ([]machine.Instr, error) {
	list := make([]machine.Instr, len(steps))
	for n, x := range steps {
		i := x.Instr
		if i.Displacement() != machine.None {
			here := uint64(x.old) * InstructionSize
			to := int64(here) + InstructionSize + i.Distance()
			if to < 0 || to > int64(m.size) {
				return nil, at.fail(int(here), "branch out of the function", to)
			}
			place := m.Offset(uint64(to))
			if i.Op() == sass.OpBSSY && joinsAt(steps, int(to/InstructionSize), i) {
				place = m.own(uint64(to))
			}
			i = i.WithDistance(int64(place) - int64(n+1)*InstructionSize)
		}
		list[n] = i
	}
	return list, nil
}

// capsule returns the capsule of the new code, which is c's own data where nothing moved.
func (m Map) capsule(c *Capsule, steps []step, at Place) ([]byte, error) {
	if !m.Moved() && !slices.ContainsFunc(steps, func(x step) bool { return x.replaced }) {
		return c.data, nil
	}
	edits := make(map[int]edit) // of the Mercury instructions that change, by number
	total := 0                  // machine instructions
	for number, x := range c.Instructions() {
		e := edit{}
		for len(steps) > 0 && steps[0].spacing && steps[0].old <= x.First {
			e.before++
			steps = steps[1:]
		}
		for len(steps) > 0 && steps[0].old < x.First+x.Count {
			e.count++
			e.last, e.replaced = steps[0].Instr, e.replaced || steps[0].replaced
			steps = steps[1:]
		}
		if x.Count > 0 && x.First+x.Count == c.Machine() { // the branch to itself and the padding
			e.count = int((m.after - m.Offset(uint64(x.First)*InstructionSize)) / InstructionSize)
		}
		total += e.before + e.count
		e.kept = e.count == x.Count && !(e.replaced && (x.size == 0 || e.last.Op() == sass.OpIMMA))
		if e.kept && e.before == 0 {
			continue
		}
		isDistance := e.count == 0 && x.Count == 1 && x.Record == nil
		if !isDistance && !e.kept && (e.count < 1 || x.size == 0 && recordOf(e.last) == nil) {
			return nil, at.fail(x.at, "Mercury instruction of nothing but dropped code", x.First)
		}
		if e.count > maxCount {
			return nil, at.fail(x.at, "Mercury instruction of too many machine instructions", e.count)
		}
		edits[number] = e
	}
	if uint64(total)*InstructionSize != m.after {
		return nil, at.fail(0, "capsule whose padding is not all in its last instruction", total)
	}
	return c.edited(edits), nil
}
