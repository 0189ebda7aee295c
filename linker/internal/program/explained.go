package program

import (
	"slices"
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
