package program

// sectionSymbols finds the symbols of sections by name. The attributes of most inputs refer to none of these
// symbols, so that the map is filled only when it is needed.
type sectionSymbols struct {
	all      []*Symbol // in the order in which their sections were named
	entered  int       // number of them in the map
	byName   map[string]*Symbol
	nameless *Symbol // the last one without a name, which is needed for all cubins for sm_75 to sm_90
}

func (s *sectionSymbols) add(y *Symbol) {
	if y.Name == "" {
		s.nameless = y
		return
	}
	push(&s.all, y)
}

// SectionSymbol returns the symbol of the last section that got the given name, or nil if there is none.
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
