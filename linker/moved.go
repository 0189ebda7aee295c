package linker

import (
	"slices"
	"strings"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/diag"
	"github.com/culink/culink/linker/nvinfo"
	"github.com/culink/culink/linker/reloc"
)

// A relocatable link of nvlink settles operands in constant banks and in shared
// memory, and drops their relocations, although a later link gives these variables
// other places. nvlink then writes code that reads something else; culink says so,
// unless the places happen to be the same (RELOC-402, E-345).

// A relinked input has lost relocations to an earlier -r.
type relinked struct {
	object   *object
	symbolOf []*symbol
	banks    [32]bool // that its code may read
}

// lostRelocations tells by its tool note whether o comes from such a link:
// --keep-relocs is recorded there as well.
func (o *object) lostRelocations() bool {
	for i := range o.file.Sections {
		if s := &o.file.Sections[i]; s.Type != cubin.SectionNote || s.Name != ".note.nv.tkinfo" {
			continue
		}
		notes, _ := o.file.Notes(uint32(i))
		for _, n := range notes {
			tool, err := nvinfo.DecodeToolInfo(n.Desc)
			if options := strings.Fields(tool.Options); err == nil && slices.Contains(options, "-r") {
				return !slices.Contains(options, "-keep-relocs")
			}
		}
	}
	return false
}

// findMoved gives for each input that lost relocations the first variable that this
// link moves, if any. Its code is looked at before this link's own relocations are
// written into it.
func findMoved(l *laidOut) []movedVariable {
	var found []movedVariable
	for _, in := range l.relinked {
		in.findBanks()
		named := map[uint32]bool{}
		for _, table := range in.object.tables {
			for _, r := range table {
				named[r.Symbol] = true
			}
		}
		for i, y := range in.symbolOf {
			if y != nil && !named[uint32(i)] && l.moves(&in, &in.object.symbols[i], y) {
				found = append(found, movedVariable{in.object.name, in.object.symbols[i].Name})
				break
			}
		}
	}
	return found
}

type movedVariable struct{ file, name string }

// reportMoved ends a link that would succeed otherwise.
func reportMoved(moved []movedVariable, log *diag.Log) {
	if log.Worst() >= diag.Error {
		return
	}
	for _, m := range moved {
		log.Report(diag.LostRelocation, m.file, m.name)
	}
}

// moves tells whether code of the input refers to a place that was once that of
// variable was, and is now that of y.
func (l *laidOut) moves(in *relinked, was *cubin.Symbol, y *symbol) bool {
	switch {
	case was.Type == cubin.SymFunc, was.Type == cubin.SymSection:
		return false
	case isHandle(was.Type):
		return !l.options.Relocatable && in.reads(in.lostBank(was))
	case !was.Defined():
		return was.Space() == cubin.OtherConstant && y.section != nil && in.reads(y.section.bank)
	case was.Space() == cubin.OtherShared:
		return !l.options.Relocatable && was.Size > 0 && y.value != was.Value
	case was.Bind == cubin.BindWeak || int(was.Section) >= len(in.object.file.Sections): // -r keeps what refers to weak ones
		return false
	}
	bank, ok := in.object.file.Sections[was.Section].ConstantBank()
	return ok && y.value != was.Value && in.reads(bank)
}

// findBanks notes the constant banks in which an instruction of the input that is kept
// may have an operand: relocations write the number into the bits 54 to 58.
func (in *relinked) findBanks() {
	const instruction = 16
	for _, y := range in.symbolOf {
		if y == nil || y.fn == nil || y.fn.text == nil || y.fn.dead {
			continue
		}
		code := y.fn.text.data
		for at := 0; at+instruction <= len(code); at += instruction {
			in.banks[le.Uint64(code[at:])>>54&31] = true
		}
	}
}

// lostBank is the bank of operands whose relocation against a handle is gone: the number
// that its section's type comes to (RELOC-005). Beside a Mercury half they stay (MERC-223).
func (in *relinked) lostBank(handle *cubin.Symbol) int {
	var typ uint32
	if int(handle.Section) < len(in.object.file.Sections) {
		typ = uint32(in.object.file.Sections[handle.Section].Type)
	}
	return int(reloc.Bank(typ))
}

func (in *relinked) reads(bank int) bool {
	return bank >= 0 && bank < len(in.banks) && in.banks[bank]
}
