package generate

import "slices"

// A Level is a kind of part that can be removed from a program. The levels are ordered by size, the largest first.
type Level int

// Levels of parts.
const (
	Units Level = iota
	Symbols
	Statements
	Values
	LineInfos
	levels
)

// Levels returns all levels, in the order in which parts should be removed.
func Levels() []Level {
	list := make([]Level, levels)
	for i := range list {
		list[i] = Level(i)
	}
	return list
}

// Count returns the number of parts of a level.
func (p *Program) Count(l Level) int {
	n := 0
	p.parts(l, func(*Unit, *Symbol, int) { n++ })
	return n
}

// parts calls visit for every part of a level. i is the index of the part in its list.
func (p *Program) parts(l Level, visit func(u *Unit, s *Symbol, i int)) {
	for i, u := range p.Units {
		switch l {
		case Units:
			visit(u, nil, i)
			continue
		case LineInfos:
			if u.LineInfo {
				visit(u, nil, i)
			}
			continue
		}
		for k, s := range u.Symbols {
			n := 1
			switch l {
			case Statements:
				n = len(s.Body)
			case Values:
				n = len(s.Initial)
			}
			for j := range n {
				if l == Symbols {
					j = k
				}
				visit(u, s, j)
			}
		}
	}
}

// Without returns p without part n of a level. If this removes a symbol, the uses of the symbol are removed too.
func (p *Program) Without(l Level, n int) *Program {
	c := p.Clone()
	var edit func()
	at := 0
	c.parts(l, func(u *Unit, s *Symbol, i int) {
		if at == n {
			edit = func() { c.cut(l, u, s, i) }
		}
		at++
	})
	if edit != nil {
		edit()
	}
	return c
}

func (p *Program) cut(l Level, u *Unit, s *Symbol, i int) {
	switch l {
	case Units:
		gone := u.Symbols
		p.Units = slices.Delete(p.Units, i, i+1)
		for _, s := range gone {
			p.forget(s.Name)
		}
	case Symbols:
		u.Symbols = slices.Delete(u.Symbols, i, i+1)
		u.forget(s.Name) // a unit with its own definition may not declare the symbol
		p.forget(s.Name)
	case Statements:
		s.Body = slices.Delete(s.Body, i, i+1)
	case Values:
		s.Initial = slices.Delete(s.Initial, i, i+1)
	case LineInfos:
		u.LineInfo = false
	}
}

// forget removes the uses of a symbol that no unit defines any more.
func (p *Program) forget(name string) {
	for _, u := range p.Units {
		if u.find(name) != nil {
			return
		}
	}
	for _, u := range p.Units {
		u.forget(name)
	}
}

func (u *Unit) forget(name string) {
	for _, s := range u.Symbols {
		s.Body = slices.DeleteFunc(s.Body, func(t Statement) bool { return slices.Contains(t.Uses, name) })
		s.Initial = slices.DeleteFunc(s.Initial, func(v Value) bool { return v.Uses == name })
	}
}
