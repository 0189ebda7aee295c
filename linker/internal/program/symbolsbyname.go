package program

// sectionSymbols finds symbols of sections by name. Attributes of most inputs name none, so that
// the map is filled when somebody asks.
type sectionSymbols struct {
	all      []*Symbol // in the order in which their sections were named
	entered  int       // how many of them the map has
	byName   map[string]*Symbol
	nameless *Symbol // the last one without a name, for which all cubins for sm_75 to sm_90 ask
}

func (s *sectionSymbols) add(y *Symbol) {
	if y.Name == "" {
		s.nameless = y
		return
	}
	push(&s.all, y)
}

// SectionSymbol returns the symbol of the section that was the last to get that name; nil for none.
func (m *Program) SectionSymbol(name string) *Symbol {
	s := &m.sectionSymbols
	if name == "" {
		return s.nameless
	}
	if s.byName == nil {
		s.byName = make(map[string]*Symbol, max(len(s.all), 2*m.expected))
	}
	for ; s.entered < len(s.all); s.entered++ {
		s.byName[s.all[s.entered].Name] = s.all[s.entered]
	}
	return s.byName[name]
}
