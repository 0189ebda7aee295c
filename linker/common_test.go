package linker_test

import (
	"testing"

	"github.com/culink/culink/corpus"
	"github.com/culink/culink/linker"
	"github.com/culink/culink/linker/cubin"
)

// A common that a later weak definition meets has a place. nvlink from 13.3 on gives it none, and crashes in a full link
// (MERGE-901, E-992).
func TestWeakBesideCommon(t *testing.T) {
	var inputs []linker.Input
	for _, name := range []string{"common.cubin", "weak.cubin"} {
		data, err := corpus.Files.ReadFile("merge/common-defined-twice/sm_80/in/" + name)
		if err != nil {
			t.Fatal(err)
		}
		inputs = append(inputs, linker.Input{Name: name, Data: data})
	}
	for _, release := range []string{"13.0", "13.5"} {
		r := linker.Link(t.Context(), linker.Options{Toolkit: release, Arch: "sm_80"}, inputs)
		if r.Err() != nil {
			t.Errorf("%s: %v", release, r.Err())
			continue
		}
		f, err := cubin.Open("output", r.Output)
		if err != nil {
			t.Fatal(err)
		}
		symbols, err := f.Symbols()
		if err != nil {
			t.Fatal(err)
		}
		for _, y := range symbols {
			if y.Name == "c" && (!y.Defined() || int(y.Section) >= len(f.Sections) || f.Sections[y.Section].Name != ".nv.global") {
				t.Errorf("%s: c is in section %d", release, y.Section)
			}
		}
	}
}
