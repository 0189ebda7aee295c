package program

// NoteUnused notes that input defines y, and that another definition is linked.
func (m *Program) NoteUnused(y *Symbol, input string) {
	if !m.isExplained(y.Name) {
		return
	}
	if m.AlsoIn == nil {
		m.AlsoIn = map[*Symbol][]string{}
	}
	m.AlsoIn[y] = append(m.AlsoIn[y], input)
}

// isExplained reports whether the options ask for explanations of the symbols of a name.
func (m *Program) isExplained(name string) bool {
	if m.explained == nil && len(m.Options.Explain) > 0 {
		m.explained = map[string]bool{}
		for _, name := range m.Options.Explain {
			m.explained[name] = true
		}
	}
	return m.explained[name]
}
