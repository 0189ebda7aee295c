package check

import (
	"encoding/binary"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/diag"
	"github.com/culink/culink/linker/internal/layout"
	"github.com/culink/culink/linker/internal/program"
	"github.com/culink/culink/linker/reloc"
)

// A relocatable link of nvlink settles operands in constant banks and in shared
// memory, and drops their relocations, although a later link gives these variables
// other places. nvlink then writes code that reads something else. culink ends the link
// and names the variable, unless the places happen to be the same (RELOC-402, E-345);
// --accept-lost-relocations makes a warning of it (RELOC-406).

// A MovedVariable is one that code of an input reads at a place where it no longer is.
type MovedVariable struct{ file, name string }

// FindMoved returns the variables that this link moves of the inputs that lost
// relocations, input by input. Their code is looked at before this link's own relocations
// are written into it.
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

// ReportMoved ends a link that would succeed otherwise, with the first variable of each
// input, or warns of every variable where the link is to be done all the same.
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

// relinkedCode is what an input has that lost relocations.
type relinkedCode struct {
	program.Relinked
	banks [32]bool // that its code may read
}

// moves reports whether code of the input refers to a place that was once that of
// variable was, and is now that of y.
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
	case was.Bind == cubin.BindWeak || int(was.Section) >= len(in.Object.File.Sections): // -r keeps what refers to weak ones
		return false
	}
	bank, ok := in.Object.File.Sections[was.Section].ConstantBank()
	return ok && y.Value != was.Value && in.reads(bank)
}

// findBanks notes the constant banks in which an instruction of the input that is kept
// may have an operand: relocations write the number into the bits 54 to 58.
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

// lostBank is the bank of operands whose relocation against a handle is gone: the number
// that its section's type comes to (RELOC-005). Beside a Mercury half they stay (MERC-223).
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
