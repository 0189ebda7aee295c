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

// MERC-104: the Mercury form of a function has the size that the symbols of the Mercury
// half say, hints (MERC-105) and all.
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

// checkSizes compares the sizes of functions in the Mercury form with those that the symbols
// of a relocatable file say; it returns how many functions and hints there were.
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
			continue // the second of a name: its machine code is not the one of that name
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
