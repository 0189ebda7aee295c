package tell

import (
	"slices"
	"strings"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/internal/layout"
	"github.com/culink/culink/linker/internal/object"
	"github.com/culink/culink/linker/internal/program"
	"github.com/culink/culink/linker/internal/reach"
	"github.com/culink/culink/linker/internal/relocate"
)

// From 13.1 on, -v prints a wrong count for a kernel without barriers: that of the previous kernel. Before the
// first kernel with barriers it prints a value that an earlier step of nvlink left in the variable. This value
// differs between releases (KIT-089, KIT-099, KIT-100).

// FirstBarriers returns the count that is printed for kernels before the first one with barriers.
func FirstBarriers(s *relocate.Settled, inputs []*object.Object) uint32 {
	switch p := s.Target.Profile; {
	case !s.Options.Verbose: // nothing is printed
	case p.Report.CountsInput && len(inputs) > 0:
		return leftOfInputs(inputs, s.Target.Compat())
	case p.Report.CountsUnmade:
		return unmadeSections(s)
	case p.Report.CountsEmptySections:
		return emptySections(s.Placed)
	}
	return 0
}

// leftOfInputs returns the size of the last input, without its lowest byte. If inputs have compatibility records,
// it returns which of the records 5 to 7 the last input with such records has, in one byte each (KIT-099). Otherwise the
// suffix of the target of the last input is left, if its flags tell one (INFO-980).
func leftOfInputs(inputs []*object.Object, compat bool) uint32 {
	for _, o := range slices.Backward(inputs) {
		for i, s := range slices.Backward(o.File.Sections) {
			if s.Type == cubin.SectionCompat && compat {
				return leftOfCompat(o, uint32(i))
			}
		}
	}
	last := inputs[len(inputs)-1].File
	if compat && last.ABIVersion <= cubin.ABIVersionLegacy && last.Flags&cubin.FlagSpecificLegacy != 0 {
		return 'a'
	}
	return uint32(len(last.Bytes())) &^ 0xff
}

func leftOfCompat(o *object.Object, section uint32) (left uint32) {
	records, _ := o.Records(section, nil) // those before damage count
	for _, r := range records {
		if firstLeft <= r.Code && r.Code <= lastLeft {
			left |= 1 << (8 * (r.Code - firstLeft + 1))
		}
	}
	return left
}

// These compatibility records leave a value in the variable.
const firstLeft, lastLeft = 5, 7

// unmadeSections counts the sections that nvlink has created by then and that are not in the output (KIT-100).
// They are empty sections, sections of dead code, and temporary ones. --preserve-relocs creates a section for
// each relocation section. If a section has relocations of both kinds, one of the two stays.
func unmadeSections(s *relocate.Settled) uint32 {
	n := 1 // .symtab_shndx
	if !s.Options.Relocatable {
		n += 1 + s.NumPassing
	}
	if !slices.ContainsFunc(s.Functions, (*program.Function).HasPrototype) {
		n++ // .nv.prototype
	}
	for _, section := range s.Sections {
		if s.HasMercury() && strings.HasPrefix(section.Name, cubin.ParameterPrefix) {
			continue // the finalizer makes it
		}
		if (section.State != program.Kept || section.Dead()) && !describes(s, section) {
			n++
		}
	}
	for _, rs := range s.RelocationSections {
		if rs.Type == cubin.SectionRel && s.HasMercury() {
			n++ // that of the Mercury half
		}
		if rs.Target.Dead() || rs.Target.State != program.Kept || !holds(rs) {
			n++
		}
		n += again(rs, s.Options.ForceRela && !s.HasMercury())
	}
	if s.HasMercury() && len(s.Handles) > 0 && !s.Options.Relocatable {
		n += 2 * withoutSlots(s) // relocations of their banks, in both halves
	}
	return uint32(n + againForSlots(s))
}

// againForSlots counts the sections that nvlink creates again, beside a Mercury half, for the slots that the compiler of a
// kernel has placed (KIT-750). It creates some for the first slot, and some for all others together.
func againForSlots(s *relocate.Settled) (n int) {
	if s.Options.Relocatable || !s.HasMercury() {
		return 0
	}
	one, several := 1, 3
	if s.Options.PreserveRelocs {
		one, several = 2, 5
	}
	for _, bank := range s.HandleBanks {
		slots := 0
		for _, r := range bank.Relocations {
			if r.IsSlot() {
				slots++
			}
		}
		switch {
		case !bank.Fn.Extensible || slots == 0:
		case slots == 1:
			n += one
		default:
			n += several
		}
	}
	return n
}

// withoutSlots counts kernels without slots. If --kernels-used names kernels, it counts only these.
func withoutSlots(s *relocate.Settled) (count int) {
	named := slices.ContainsFunc(s.Entries, func(e *reach.Entry) bool { return !e.LeftOut })
	for _, e := range s.Entries {
		has := slices.ContainsFunc(s.HandleBanks, func(bank *program.Section) bool { return bank.Fn == e.Fn })
		if !has && (!named || !e.LeftOut) {
			count++
		}
	}
	return count
}

// again counts the sections that nvlink creates a second time for rs, if the inputs have relocations of both
// kinds. These are the sections of resolved relocations. With --force-rela and without a Mercury half, they also
// include sections with addends. If the first section has no addends, its counterpart exists by then.
func again(rs *program.RelocationSection, forced bool) int {
	switch first := rs.Target.RelocatedFirst(); {
	case forced && first == cubin.SectionRel:
		return 0
	case rs.Type == cubin.SectionResolvedRela:
		return rs.Target.NumRelocationSections() - 1
	case forced && rs.Type == cubin.SectionRel:
		return 1
	}
	return 0
}

// describes reports whether a section will hold the attributes of a function. A recursive kernel gets such a
// section for its stack (INFO-037).
func describes(s *relocate.Settled, section *program.Section) bool {
	fn := section.Fn
	if fn == nil || section != fn.InfoSec || fn.Dead || fn.Text.Size == 0 {
		return false
	}
	e := s.EntryOf(fn)
	return fn.Attributes.Len() > 0 || e != nil && s.Needs(e).Stack == reach.StackUnknown
}

// holds reports whether a relocation section has entries.
func holds(rs *program.RelocationSection) bool {
	if rs.Type == cubin.SectionResolvedRela {
		return len(rs.Target.Resolved) > 0
	}
	addend := rs.Type == cubin.SectionRela
	has := func(r program.Relocation) bool {
		return r.Rela == addend && (r.Added == rs.Slots || rs.Target.Mercury != nil)
	}
	if addend && rs.Target.Mercury != nil && len(rs.Target.Mercury.Relocations) > 0 {
		return true // those of the Mercury half keep it
	}
	return slices.ContainsFunc(rs.Target.Relocations, has)
}

// emptySections counts the sections without contents (KIT-089).
func emptySections(l *layout.Placed) (count uint32) {
	for _, s := range l.Sections {
		if s.NoBits && s.State == program.Kept && !s.Dead() {
			count++
		}
	}
	return count
}
