package mercury

import (
	"fmt"

	"github.com/culink/culink/linker/mercury/codemap"
	"github.com/culink/culink/linker/sass"
)

// A Result is a finalized function. If Text or Capsule did not change, it shares the memory of the Function.
type Result struct {
	Changes Changes
	Text    []byte
	Capsule []byte
	Map     codemap.Map

	Passes []PassReport // the passes that changed something, in order
	Kept   fmt.Stringer // why the scoreboards of the input are kept though nvlink assigns others; nil if they are not
}

// A PassReport describes what one pass changed.
type PassReport struct {
	Name, Rule string
	Changes    Changes
}

// String returns the report as text: "self moves (KIT-143): distances".
func (p PassReport) String() string { return fmt.Sprintf("%s (%s): %v", p.Name, p.Rule, p.Changes) }

// Finalize runs the passes over a function of a final link. The caller then changes relocations, symbols,
// attributes and debug sections according to Result.Map.
//
// The error is a *cubin.FormatError. It means that the machine code or the capsule is damaged (MERC-102).
func Finalize(f Function) (Result, error) { return FinalizeEdited(f, nil) }

// A Line is an instruction of edited code. It is either instruction Number of the code before the edit, or
// an Inserted instruction before that one.
type Line struct {
	sass.Instruction
	Number   int
	Inserted bool
}

// FinalizeEdited is [Finalize] with an edit of the finalized code. The edit function gets that code without
// padding. It returns the new code, with numbers in ascending order, or nil to change nothing. Text and Map
// of the Result are those of the new code, and Changes includes [Waits]. The Capsule is that of the code
// before the edit.
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

// edit changes the code as described at FinalizeEdited.
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
