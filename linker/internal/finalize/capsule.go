package finalize

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/culink/culink/linker/internal/program"
	"github.com/culink/culink/linker/mercury/capsule"
)

// Inner returns the code of f as its Mercury form describes it, or nil if it cannot be read. It stays
// valid: relocations that are written later move no instruction.
func (l *Finalized) Inner(f *program.Function) *capsule.Code {
	if f.Text == nil || f.Text.Mercury == nil {
		return nil
	}
	l.opening.Lock()
	defer l.opening.Unlock()
	code, known := l.inner[f]
	if !known {
		if capsule, err := capsule.Open(f.Text.Mercury.Bytes(), capsule.Place{}); err == nil {
			code = capsule.Code(f.Text.Bytes())
		}
		l.inner[f] = code
	}
	return code
}

// PatchCapsule writes the resolved relocation values of code section s into its capsule.
func PatchCapsule(s *program.Section, operands []capsule.Operand) error {
	if len(operands) == 0 {
		return nil
	}
	slices.SortFunc(operands, func(a, b capsule.Operand) int { return cmp.Compare(a.Machine, b.Machine) })
	capsule, err := capsule.Open(s.Mercury.Writable(), capsule.Place{File: s.Fn.Symbol.DefinedIn, Part: "section " + s.Mercury.Name})
	if err != nil {
		return fmt.Errorf("cannot write the value of a relocation: %w", err)
	}
	capsule.Patch(operands)
	return nil
}
