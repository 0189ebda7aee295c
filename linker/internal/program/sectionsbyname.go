package program

import (
	"slices"
	"strings"
)

// SectionsByName contains sections with different names. A function has few sections, so a map of the names
// exists only if there are many.
type SectionsByName struct {
	All    []*Section
	byName map[string]int // index in All; nil if there are few
}

// fewSections is the number of sections up to which a linear search is used.
const fewSections = 8

// Named returns the section with a name, or nil if there is none.
func (l SectionsByName) Named(name string) *Section {
	if at, known := l.find(name); known {
		return l.All[at]
	}
	return nil
}

// put adds s, or replaces the section with the same name.
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

// find returns the index of the section with a name.
func (l SectionsByName) find(name string) (at int, known bool) {
	if l.byName != nil {
		at, known = l.byName[name]
		return at, known
	}
	at = slices.IndexFunc(l.All, func(s *Section) bool { return s.Name == name })
	return at, at >= 0
}

// own returns the section whose name is prefix followed by rest, or nil if there is none.
func (l SectionsByName) own(prefix, rest string) *Section {
	if l.byName != nil {
		return l.Named(prefix + rest)
	}
	for _, s := range l.All { // avoids creating the name
		if after, ok := strings.CutPrefix(s.Name, prefix); ok && after == rest {
			return s
		}
	}
	return nil
}
