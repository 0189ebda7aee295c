package program

import (
	"github.com/culink/culink/linker/cubin"
)

// A Group is a section's position in the section table. nvlink writes the groups in order, and the sections of
// a group in order of creation (EMIT-001).
type Group uint8

const (
	groupShStrTab Group = iota
	groupStrTab
	groupSymTab
	GroupDebug
	GroupInfo
	GroupRelocation
	GroupConstant
	GroupText
	GroupGlobalInit
	GroupCopies // of a Mercury half, in a link of machine code (KIT-136)
	GroupNoBits
	GroupLate       // .symtab_shndx, if only the finalizer makes it
	GroupParameters // parameter banks, with a Mercury half
	GroupMercury
)

// GroupOf returns the group of a section of an input. It depends on how the program may access the section, not
// on its name.
func GroupOf(s *cubin.Section) Group {
	switch {
	case cubin.IsNoBits(s):
		return GroupNoBits
	case s.Flags&cubin.FlagWrite != 0:
		return GroupGlobalInit
	case s.Flags&cubin.FlagExec != 0:
		return GroupText
	case s.Flags&cubin.FlagAlloc != 0:
		return GroupConstant
	case s.Type == cubin.SectionProgBits:
		return GroupDebug
	}
	return GroupInfo
}
