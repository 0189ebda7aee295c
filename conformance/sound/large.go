package sound

import (
	"slices"

	"github.com/culink/culink/linker/cubin"
)

// A file can have more sections than the 16-bit section number of a symbol can count. nvlink then writes the section
// number of common symbols for the symbols of one or two sections (EMIT-042). Functions and sections cannot be common
// symbols, and their section follows from their name.

// findMistaken sets the correct section of functions and section symbols that have the number of common symbols.
func findMistaken(file *cubin.File, symbols []cubin.Symbol) {
	if len(file.Sections) <= cubin.ShnCommon&0xffff {
		return
	}
	for i := range symbols {
		y := &symbols[i]
		if y.Section != cubin.ShnCommon {
			continue
		}
		found := -1
		switch y.Type {
		case cubin.SymFunc:
			found = slices.IndexFunc(file.Sections, func(s cubin.Section) bool { return s.Name == cubin.CodePrefix+y.Name })
		case cubin.SymSection:
			found = slices.IndexFunc(file.Sections, func(s cubin.Section) bool { return s.Name == y.Name })
		}
		if found >= 0 {
			y.Section = uint32(found)
		}
	}
}

// findMistakenCopies corrects functions and section symbols of the Mercury half that have the number of common symbols.
// Their section is the copy of the plain symbol's section (EMIT-044).
func findMistakenCopies(inner, plain []cubin.Symbol, copies []uint32) {
	if len(copies) <= cubin.ShnCommon&0xffff {
		return
	}
	for i := range min(len(inner), len(plain)) {
		y := &inner[i]
		if y.Section != cubin.ShnCommon || y.Type != cubin.SymFunc && y.Type != cubin.SymSection {
			continue
		}
		y.Section = plain[i].Section
		if int(y.Section) < len(copies) && copies[y.Section] != 0 {
			y.Section = copies[y.Section]
		}
	}
}
