package program

import (
	"slices"
	"strings"
)

// SectionsByName are sections of different names. A function has few, so that there is a map of
// the names only where there are many.
type SectionsByName struct {
	All    []*Section
	byName map[string]int // in All; nil for a few
}

// fewSections is how many are looked at one by one.
const fewSections = 8

// Named returns the section of that name; nil for none.
func (l SectionsByName) Named(name string) *Section {
	if at, known := l.find(name); known {
		return l.All[at]
	}
	return nil
}

// put adds s, or puts it in the place of the section of its name.
func (l *SectionsByName) put(s *Section) {
	at, known := l.find(s.Name)
	if known {
		l.All[at] = s
		return
	}
	l.All = append(l.All, s)
	switch {
	case l.byName != nil:
		l.byName[s.Name] = len(l.All) - 1
	case len(l.All) > fewSections:
		l.byName = make(map[string]int, 4*fewSections)
		for i, known := range l.All {
			l.byName[known.Name] = i
		}
	}
}

// find returns where the section of that name is.
func (l SectionsByName) find(name string) (at int, known bool) {
	if l.byName != nil {
		at, known = l.byName[name]
		return at, known
	}
	at = slices.IndexFunc(l.All, func(s *Section) bool { return s.Name == name })
	return at, at >= 0
}

// own returns the section whose name is prefix and rest; nil for none.
func (l SectionsByName) own(prefix, rest string) *Section {
	if l.byName != nil {
		return l.Named(prefix + rest)
	}
	for _, s := range l.All { // without making the name
		if after, ok := strings.CutPrefix(s.Name, prefix); ok && after == rest {
			return s
		}
	}
	return nil
}
