package program

import (
	"github.com/culink/culink/linker/cubin"
)

// A Group is a section's place in the section table: nvlink writes groups one
// after the other, and inside a group the order of creation (EMIT-001).
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
	GroupLate       // .symtab_shndx, where only the finalizer makes it
	GroupParameters // parameter banks, beside a Mercury half
	GroupMercury
)

// GroupOf finds the group of a section of an input: by what the program may do with it,
// whatever its name.
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
