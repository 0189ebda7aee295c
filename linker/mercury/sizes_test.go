package mercury

import (
	"io/fs"
	"strings"
	"testing"

	"github.com/culink/culink/corpus"
	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/mercury/capsule"
	"github.com/culink/culink/linker/mercury/internal/machinetest"
)

// The size of a function's Mercury form, hints (MERC-105) included, is the size of its symbol in the
// Mercury half (MERC-104).
func TestMercurySize(t *testing.T) {
	inputs, err := fs.Glob(corpus.Files, "mercury/*/sm_*/in/*.cubin")
	if err != nil {
		t.Fatal(err)
	}
	functions, hints := 0, 0
	for _, name := range inputs {
		f := machinetest.Must(cubin.Open(name, machinetest.Must(corpus.Files.ReadFile(name))(t)))(t)
		n, h := checkSizes(t, f)
		functions += n
		hints += h
	}
	if functions < 100 || hints < 100 {
		t.Errorf("only %d functions and %d hints in the corpus", functions, hints)
	}
}

// checkSizes compares the sizes of functions' Mercury forms with those in the symbols of a relocatable
// file. It returns the number of functions and of hints.
func checkSizes(t testing.TB, f *cubin.File) (functions, hints int) {
	t.Helper()
	table := f.Section(".nv.merc.symtab")
	if table == nil || f.Type != cubin.TypeRelocatable {
		return 0, 0
	}
	for _, y := range machinetest.Must(f.SymbolsOf(table.Index))(t) {
		if y.Type != cubin.SymFunc || !y.Defined() || y.Size == 0 || y.Value != 0 {
			continue
		}
		section := f.Sections[y.Section]
		if f.Section(section.Name).Index != section.Index {
			continue // a second function of this name: by name the first one's machine code is found
		}
		c, err := capsule.Open(machinetest.Must(f.Data(section.Index))(t), capsule.Place{Part: section.Name})
		if err != nil {
			continue // of a damaged file
		}
		functions++
		for _, m := range c.Instructions() {
			if m.Count == 0 {
				hints++
			}
		}
		text := bytesOf(t, f, strings.TrimPrefix(section.Name, ".nv.capmerc"))
		if got := c.Code(text).End(); got != y.Size {
			t.Errorf("%s: %s has %#x bytes in the Mercury form, its symbol says %#x", f.Name, y.Name, got, y.Size)
		}
	}
	return functions, hints
}
