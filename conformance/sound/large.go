package sound

import (
	"slices"

	"github.com/culink/culink/linker/cubin"
)

// In a file of more sections than a symbol can number, nvlink lets the symbols of one or two say
// that they are common, by its number (EMIT-042). A function or a section cannot be that: code
// names its function, and a section symbol has its section's name.

// findMistaken gives such symbols of a file the sections that are meant.
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

// findMistakenCopies does the same for symbols of the Mercury half: what they stand in is the copy
// of the section of the plain symbol (EMIT-044).
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
