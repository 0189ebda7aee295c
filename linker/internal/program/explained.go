package program

// NoteUnused records that input defines y although another definition prevails.
func (m *Program) NoteUnused(y *Symbol, input string) {
	if !m.isExplained(y.Name) {
		return
	}
	if m.AlsoIn == nil {
		m.AlsoIn = map[*Symbol][]string{}
	}
	m.AlsoIn[y] = append(m.AlsoIn[y], input)
}

// isExplained reports whether the options request an explanation for symbols with this name.
func (m *Program) isExplained(name string) bool {
	if m.explained == nil && len(m.Options.Explain) > 0 {
		m.explained = map[string]bool{}
		for _, name := range m.Options.Explain {
			m.explained[name] = true
		}
	}
	return m.explained[name]
}
