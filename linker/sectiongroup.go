package linker

import "github.com/culink/culink/linker/cubin"

// A group is a section's place in the section table: nvlink writes groups one
// after the other, and inside a group the order of creation (EMIT-001).
type group uint8

const (
	groupShStrTab group = iota
	groupStrTab
	groupSymTab
	groupDebug
	groupInfo
	groupRelocation
	groupConstant
	groupText
	groupGlobalInit
	groupNoBits
	groupParameters // parameter banks, beside a Mercury half
	groupMercury
)

// groupOf finds the group of a section of an input: by what the program may do with it,
// whatever its name.
func groupOf(s *cubin.Section) group {
	switch {
	case isNoBits(s):
		return groupNoBits
	case s.Flags&cubin.FlagWrite != 0:
		return groupGlobalInit
	case s.Flags&cubin.FlagExec != 0:
		return groupText
	case s.Flags&cubin.FlagAlloc != 0:
		return groupConstant
	case s.Type == cubin.SectionProgBits:
		return groupDebug
	}
	return groupInfo
}

// isNoBits tells a section of an input that takes room in memory only.
func isNoBits(s *cubin.Section) bool { return !s.HasBytes() && s.Type != cubin.SectionNull }

// mercuryPrefix begins the names of the copies of sections, but for those of code.
const mercuryPrefix = ".nv.merc"

// isMercuryConstant tells a copy of a program's constants.
func isMercuryConstant(t cubin.SectionType) bool {
	return t == cubin.SectionMercUser || t == cubin.SectionMercPIC
}
