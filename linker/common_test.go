package linker_test

import (
	"strings"
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

// From 13.3 on a conflict names the last weak definition that did not replace a common (MERGE-980).
func TestConflictNamesWeakBesideCommon(t *testing.T) {
	file := func(name, symbol, section string) linker.Input {
		return build(name, "cutext 1\nheader sm=80\nsection .shstrtab\nsection .strtab\nsection .symtab\n\tsymbol c "+symbol+"\n"+section)
	}
	inputs := []linker.Input{
		file("common", "global data common other=global value=4 size=4", ""),
		file("weak", "weak data .nv.global other=global size=4", "section .nv.global size=4\n"),
		file("constant", "global data .nv.constant3 other=constant size=4", "section .nv.constant3\n\tu32 1\n"),
	}
	for release, first := range map[string]string{"13.0": "common", "13.3": "weak", "13.5": "weak"} {
		r := linker.Link(t.Context(), linker.Options{Toolkit: release, Arch: "sm_80"}, inputs)
		if got, want := said(r), "in 'constant', first specified in '"+first+"'"; !strings.Contains(got, want) {
			t.Errorf("%s: %s, want %q", release, got, want)
		}
	}
}
