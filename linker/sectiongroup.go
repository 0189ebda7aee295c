package linker

import (
	"strings"

	"github.com/culink/culink/linker/cubin"
)

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
)

// groupOf finds the group of a section of an input.
func groupOf(s *cubin.Section) group {
	_, constant := s.ConstantBank()
	switch {
	case !s.HasBytes():
		return groupNoBits
	case constant:
		return groupConstant
	case strings.HasPrefix(s.Name, ".debug") || strings.HasPrefix(s.Name, ".nv_debug"):
		return groupDebug
	case s.Type == cubin.SectionGlobalInit:
		return groupGlobalInit
	case strings.HasPrefix(s.Name, ".text"):
		return groupText
	}
	return groupInfo
}
