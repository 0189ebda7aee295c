package program

import (
	"slices"

	"github.com/culink/culink/linker/cubin"
)

// NoteUnused notes that input defines y, and that another definition is linked.
func (m *Program) NoteUnused(y *Symbol, input string) {
	if !slices.Contains(m.Options.Explain, y.Name) {
		return
	}
	if m.AlsoIn == nil {
		m.AlsoIn = map[*Symbol][]string{}
	}
	m.AlsoIn[y] = append(m.AlsoIn[y], input)
}

// A UserPart is what an input put into .nv.constant3, or into its Mercury half.
type UserPart struct {
	Offset, Size, Align uint64
}

// AddUserPart notes a part of s, if that is .nv.constant3.
func (m *Program) AddUserPart(s *Section, p UserPart) {
	if s.Name == cubin.UserConstantName || s.Original != nil && s.Original.Name == cubin.UserConstantName {
		m.UserParts[s] = append(m.UserParts[s], p)
	}
}

// A Part is what one input put into a section.
type Part struct {
	Origin string // input
	Offset uint64 // in the section
	Size   uint64
	What   string // says more than the symbols in it do; may be empty
}

// AddPart notes a part, when a map is asked for.
func (m *Program) AddPart(s *Section, p Part) {
	if m.Options.Map {
		s.Parts = append(s.Parts, p)
	}
}
