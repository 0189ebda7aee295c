package finalize

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/internal/program"
	"github.com/culink/culink/linker/mercury"
	"github.com/culink/culink/linker/reloc"
)

// Inner is the code of f as its Mercury form sees it; nil if it cannot be read.
//
// Before: the finalizer has run. What relocations write later moves nothing.
func Inner(f *program.Function) *mercury.Code {
	if f.Code == nil && f.Text != nil && f.Text.Copy != nil {
		if capsule, err := mercury.OpenCapsule(f.Text.Copy.Data, mercury.Place{}); err == nil {
			f.Code = capsule.Code(f.Text.Data)
		}
	}
	return f.Code
}

// PatchCapsule writes what relocations came to into the capsule of a function.
func PatchCapsule(s *program.Section) error {
	if len(s.Operands) == 0 {
		return nil
	}
	slices.SortFunc(s.Operands, func(a, b mercury.Operand) int { return cmp.Compare(a.Machine, b.Machine) })
	capsule, err := mercury.OpenCapsule(s.Copy.Writable(), mercury.Place{File: s.Fn.Symbol.DefinedIn, Part: "section " + s.Copy.Name})
	if err != nil {
		return fmt.Errorf("cannot write the value of a relocation: %w", err)
	}
	capsule.Patch(s.Operands)
	return nil
}

// NoteOperand keeps what a relocation of type t at offset of machine code came to, for
// the capsule.
func NoteOperand(s *program.Section, offset uint64, t *reloc.Type, v reloc.Value) {
	if s.Group != program.GroupText || s.Copy == nil || s.Copy.Type != cubin.SectionCapMerc {
		return
	}
	if size := mercury.OperandSize(t.Number); size > 0 {
		s.Operands = append(s.Operands, mercury.Operand{
			Machine: int(offset / mercury.InstructionSize), Size: size, Value: uint32(v.Symbol + uint64(v.Addend)),
		})
	}
}
