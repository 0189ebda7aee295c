package object

import (
	"slices"
	"strings"

	"github.com/culink/culink/linker/cubin"
)

// A file can have more sections than st_shndx can number. nvlink then mistakes one or two of them
// for SHN_COMMON because of their numbers (EMIT-042), and cannot read the file. The functions and
// section symbols in these sections are marked as common, although neither can be common. Headers
// that refer to such code refer to section 65,522. Other fields show the right section: the header
// of code refers to its function, and a section symbol has the name of its section (E-360).

const commonNumber = cubin.ShnCommon & 0xffff

// findMistaken sets the right sections of functions and section symbols that are marked as common.
// It also corrects the headers that refer to them.
func (o *Object) findMistaken() {
	sections := o.File.Sections
	if len(sections) <= commonNumber {
		return
	}
	for i := range o.Symbols {
		y := &o.Symbols[i]
		if y.Section != cubin.ShnCommon {
			continue
		}
		var found int
		switch y.Type {
		case cubin.SymFunc:
			found = slices.IndexFunc(sections, func(s cubin.Section) bool {
				return s.Flags&cubin.FlagExec != 0 && s.Info&0xffffff == y.Index
			})
		case cubin.SymSection:
			found = slices.IndexFunc(sections, func(s cubin.Section) bool { return s.Name == y.Name })
		default:
			continue
		}
		if found < 0 {
			continue
		}
		y.Section = uint32(found)
		for k := range sections {
			s := &sections[k]
			if s.Info == commonNumber && y.Type == cubin.SymFunc && strings.HasSuffix(s.Name, "."+y.Name) {
				s.Info = y.Section
			}
		}
	}
}

// findMistakenCopies does the same for symbols of the Mercury half. It runs after findMistaken: the
// sections are the copies of those found for the plain half (EMIT-044).
func (o *Object) findMistakenCopies() {
	if len(o.File.Sections) <= commonNumber {
		return
	}
	for i := range o.Mercury.Symbols {
		m := &o.Mercury.Symbols[i]
		if m.Section != cubin.ShnCommon || m.Type != cubin.SymFunc && m.Type != cubin.SymSection {
			continue
		}
		m.Section = o.Symbols[i].Section
		if place, ok := o.Mercury.CopyOf(m.Section); ok {
			m.Section = place
		}
	}
}
