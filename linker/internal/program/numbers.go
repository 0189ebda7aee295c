package program

import (
	"slices"
)

// Number is the place of s among the sections in order of creation; traces only.
func (m *Program) Number(s *Section) int { return slices.Index(m.Sections, s) }

// Numbers returns the numbers of all sections and symbols at once, for traces that
// tell of many.
func (m *Program) Numbers() (sections map[*Section]int, symbols map[*Symbol]int) {
	sections, symbols = map[*Section]int{}, map[*Symbol]int{}
	for i, s := range m.Sections {
		sections[s] = i
	}
	for i, y := range m.Locals {
		symbols[y] = i + 1
	}
	for i, y := range m.Globals {
		symbols[y] = -i - 1
	}
	return sections, symbols
}
