package check

import (
	"encoding/binary"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/diag"
	"github.com/culink/culink/linker/internal/layout"
	"github.com/culink/culink/linker/internal/program"
	"github.com/culink/culink/linker/reloc"
)

// A relocatable link of nvlink resolves operands in constant banks and in shared memory, and drops their
// relocations. A later link moves these variables all the same, and nvlink then writes code that reads other
// data. culink ends the link and reports the variable, unless it happens to be at the same place (RELOC-402,
// E-345).
// --accept-lost-relocations turns this error into a warning (RELOC-406).

// A MovedVariable is a variable that code of an input reads at a place where the variable no longer is.
type MovedVariable struct{ file, name string }

// FindMoved returns, for each input with lost relocations, the variables that this link moves. It must be
// called before this link writes its own relocations to the code.
func FindMoved(l *layout.Placed) []MovedVariable {
	var found []MovedVariable
	for _, in := range l.Relinked {
		code := &relinkedCode{Relinked: in}
		code.findBanks()
		for i, y := range in.Unnamed() {
			if code.moves(l, &in.Object.Symbols[i], y) {
				found = append(found, MovedVariable{in.Object.Name, in.Object.Symbols[i].Name})
			}
		}
	}
	return found
}

// ReportMoved ends a link that would otherwise succeed. It reports the first moved variable of each input. If
// the user wants the link anyway, it warns about every variable instead.
func ReportMoved(moved []MovedVariable, opt *program.Options, log *diag.Log) {
	if log.Worst() >= diag.Error {
		return
	}
	for i, m := range moved {
		switch {
		case opt.AcceptLostRelocations:
			log.Report(diag.MovedVariable, m.file, m.name)
		case i == 0 || moved[i-1].file != m.file:
			log.Report(diag.LostRelocation, m.file, m.name)
		}
	}
}

// relinkedCode is an input that lost relocations.
type relinkedCode struct {
	program.Relinked
	banks [32]bool // that its code may read
}

// moves reports whether code of the input refers to the previous place of a variable, and the link puts the
// variable elsewhere. was is the variable in the input, y the variable in the link.
func (in *relinkedCode) moves(l *layout.Placed, was *cubin.Symbol, y *program.Symbol) bool {
	switch {
	case was.Type == cubin.SymFunc, was.Type == cubin.SymSection:
		return false
	case cubin.IsHandle(was.Type):
		return !l.Options.Relocatable && in.reads(in.lostBank(was))
	case !was.Defined():
		return was.Space() == cubin.OtherConstant && y.Section != nil && in.reads(y.Section.Bank)
	case was.Space() == cubin.OtherShared:
		return !l.Options.Relocatable && was.Size > 0 && y.Value != was.Value
	case was.Bind == cubin.BindWeak || int(was.Section) >= len(in.Object.File.Sections): // -r keeps references to weak symbols
		return false
	}
	bank, ok := in.Object.File.Sections[was.Section].ConstantBank()
	return ok && y.Value != was.Value && in.reads(bank)
}

// findBanks records the constant banks to which instructions of the input may refer. It looks only at code that
// is kept. Relocations write the bank number to bits 54 to 58 of an instruction.
func (in *relinkedCode) findBanks() {
	const instruction = 16
	for _, y := range in.SymbolOf {
		if y == nil || y.Fn == nil || y.Fn.Text == nil || y.Fn.Dead {
			continue
		}
		code := y.Fn.Text.Bytes()
		for at := 0; at+instruction <= len(code); at += instruction {
			in.banks[binary.LittleEndian.Uint64(code[at:])>>54&31] = true
		}
	}
}

// lostBank returns the bank of operands that refer to a handle and have lost their relocation. The number
// follows from the type of the handle's section (RELOC-005). With a Mercury half these relocations are kept
// (MERC-223).
func (in *relinkedCode) lostBank(handle *cubin.Symbol) int {
	var typ uint32
	if int(handle.Section) < len(in.Object.File.Sections) {
		typ = uint32(in.Object.File.Sections[handle.Section].Type)
	}
	return int(reloc.Bank(typ))
}

func (in *relinkedCode) reads(bank int) bool {
	return bank >= 0 && bank < len(in.banks) && in.banks[bank]
}
