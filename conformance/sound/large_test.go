package sound

import (
	"fmt"
	"testing"

	"github.com/culink/culink/linker/cubin"
)

// findMistaken corrects functions and section symbols that have the section number of common symbols (EMIT-042).
func TestFindMistaken(t *testing.T) {
	common := []cubin.Symbol{
		{Name: "f65522", Type: cubin.SymFunc, Section: cubin.ShnCommon},
		{Name: ".text.f65523", Type: cubin.SymSection, Section: cubin.ShnCommon},
		{Name: "gone", Type: cubin.SymFunc, Section: cubin.ShnCommon},
		{Name: "f7", Type: cubin.SymObject, Section: cubin.ShnCommon},
		{Name: "f7", Type: cubin.SymFunc, Section: 9},
	}
	for sections, want := range map[int][]uint32{
		65_522: {cubin.ShnCommon, cubin.ShnCommon, cubin.ShnCommon, cubin.ShnCommon, 9},
		65_530: {65_522, 65_523, cubin.ShnCommon, cubin.ShnCommon, 9},
	} {
		file := &cubin.File{Sections: make([]cubin.Section, sections)}
		for i := range file.Sections {
			file.Sections[i].Name = fmt.Sprint(".text.f", i)
		}
		symbols := append([]cubin.Symbol(nil), common...)
		findMistaken(file, symbols)
		for i, y := range symbols {
			if y.Section != want[i] {
				t.Errorf("of %d sections: %s in section %d, want %d", sections, y.Name, y.Section, want[i])
			}
		}
	}
}

// findMistakenCopies puts symbols of the Mercury half into the copy of the plain section, if there is a copy (EMIT-044).
func TestFindMistakenCopies(t *testing.T) {
	plain := []cubin.Symbol{{Section: 7}, {Section: 8}, {Section: 7}, {Section: 7}}
	copies := make([]uint32, 65_530)
	copies[7] = 65_525
	inner := []cubin.Symbol{
		{Type: cubin.SymFunc, Section: cubin.ShnCommon}, {Type: cubin.SymSection, Section: cubin.ShnCommon},
		{Type: cubin.SymObject, Section: cubin.ShnCommon}, {Type: cubin.SymFunc, Section: 3},
	}
	findMistakenCopies(inner, plain, copies)
	for i, want := range []uint32{65_525, 8, cubin.ShnCommon, 3} {
		if inner[i].Section != want {
			t.Errorf("symbol %d in section %d, want %d", i, inner[i].Section, want)
		}
	}
}
