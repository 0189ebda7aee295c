package object

import (
	"testing"

	"github.com/culink/culink/linker/cubin"
)

// TestMistakenCopies checks a function of the Mercury half that is marked as common. It is in the copy of its
// plain section, or in that section if there is no copy (EMIT-044).
func TestMistakenCopies(t *testing.T) {
	const code, other, copied = commonNumber, 7, 9
	for _, tt := range []struct {
		name     string
		sections int
		typ      cubin.SymbolType
		plain    uint32
		want     uint32
	}{
		{"with a copy", commonNumber + 1, cubin.SymFunc, code, copied},
		{"a section symbol", commonNumber + 1, cubin.SymSection, code, copied},
		{"without one", commonNumber + 1, cubin.SymFunc, other, other},
		{"a variable", commonNumber + 1, cubin.SymObject, code, cubin.ShnCommon},
		{"few sections", commonNumber, cubin.SymFunc, code, cubin.ShnCommon},
	} {
		o := &Object{File: &cubin.File{Sections: make([]cubin.Section, tt.sections)}, Symbols: []cubin.Symbol{{Section: tt.plain}}}
		o.Mercury = &mercuryHalf{copies: make(sectionMap, commonNumber+1), Symbols: []cubin.Symbol{{Section: cubin.ShnCommon, Type: tt.typ}}}
		o.Mercury.copies.set(code, copied)
		o.findMistakenCopies()
		if got := o.Mercury.Symbols[0].Section; got != tt.want {
			t.Errorf("%s: section %d, want %d", tt.name, got, tt.want)
		}
	}
}

// TestMistaken checks a function or section symbol marked as common in a file with many sections. It is in
// the section that refers to it, if there is one (E-360).
func TestMistaken(t *testing.T) {
	const code, number = 5, 3
	for _, tt := range []struct {
		name     string
		sections int
		symbol   cubin.Symbol
		want     uint32
	}{
		{"a function", commonNumber + 1, cubin.Symbol{Type: cubin.SymFunc, Index: number}, code},
		{"one without code", commonNumber + 1, cubin.Symbol{Type: cubin.SymFunc, Index: number + 1}, cubin.ShnCommon},
		{"a section symbol", commonNumber + 1, cubin.Symbol{Type: cubin.SymSection, Name: ".text.f"}, code},
		{"one without a section", commonNumber + 1, cubin.Symbol{Type: cubin.SymSection, Name: ".text.g"}, cubin.ShnCommon},
		{"a variable", commonNumber + 1, cubin.Symbol{Type: cubin.SymObject, Name: ".text.f", Index: number}, cubin.ShnCommon},
		{"few sections", commonNumber, cubin.Symbol{Type: cubin.SymFunc, Index: number}, cubin.ShnCommon},
	} {
		tt.symbol.Section = cubin.ShnCommon
		o := &Object{File: &cubin.File{Sections: make([]cubin.Section, tt.sections)}, Symbols: []cubin.Symbol{tt.symbol}}
		o.File.Sections[code] = cubin.Section{Name: ".text.f", Flags: cubin.FlagExec, Info: number}
		o.findMistaken()
		if got := o.Symbols[0].Section; got != tt.want {
			t.Errorf("%s: section %d, want %d", tt.name, got, tt.want)
		}
	}
}
