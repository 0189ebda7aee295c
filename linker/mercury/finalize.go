package mercury

import (
	"fmt"

	"github.com/culink/culink/linker/mercury/codemap"
	"github.com/culink/culink/linker/sass"
)

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
		if r.Changes&(Reallocated|Waits) != 0 {
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
