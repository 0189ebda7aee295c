package linker_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/culink/culink/linker"
	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/trace"
)

// TestMapAddsUp links every test cubin alone, with the options that change the layout. It checks that the
// bytes that the inputs use add up to the sizes of the spaces, that every symbol of the cubin can be
// explained, and that the output is the same as without the map (LAYOUT-500, LAYOUT-502).
func TestMapAddsUp(t *testing.T) {
	names, err := filepath.Glob("input/testdata/*.90.cubin")
	if err != nil || len(names) == 0 {
		t.Fatal("no cubins", err)
	}
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		inputs := []linker.Input{{Name: "a", Data: data}}
		for _, opt := range []linker.Options{{}, {Relocatable: true}, {Debug: true}, {PreserveRelocs: true}, {NoReservedShared: true}} {
			opt.ToolName, opt.Arch = "nvlink", "sm_90"
			plain := linker.Link(context.Background(), opt, inputs)
			opt.Map, opt.Explain = true, symbolNames(t, data)
			told := linker.Link(context.Background(), opt, inputs)
			if !bytes.Equal(plain.Output, told.Output) || len(plain.Log.Diagnostics) != len(told.Log.Diagnostics) {
				t.Errorf("%s: the map changes the link", name)
			}
			if plain.Map != nil || plain.Explanations != nil {
				t.Errorf("%s: a map that nobody asked for", name)
			}
			if told.Output == nil {
				continue
			}
			checkSums(t, name, told.Map)
			if len(told.Explanations) < len(opt.Explain) {
				t.Errorf("%s: %d explanations of %d symbols", name, len(told.Explanations), len(opt.Explain))
			}
		}
	}
}

// checkSums checks that the bytes that the inputs use add up to the size of each space.
func checkSums(t *testing.T, name string, m *linker.Map) {
	t.Helper()
	for i, space := range m.Spaces {
		var sum uint64
		for _, in := range m.Inputs {
			sum += in.Bytes[i]
		}
		if sum != space.Size {
			t.Errorf("%s: %s is %#x, the inputs' parts %#x", name, space.Name, space.Size, sum)
		}
	}
}

// symbolNames returns the names of all functions and variables of a cubin.
func symbolNames(t *testing.T, data []byte) (names []string) {
	t.Helper()
	file, err := cubin.Open("a", data)
	if err != nil {
		t.Fatal(err)
	}
	for i := range file.Sections {
		if file.Sections[i].Type != cubin.SectionSymTab {
			continue
		}
		symbols, err := file.SymbolsOf(uint32(i))
		if err != nil {
			t.Fatal(err)
		}
		for _, y := range symbols {
			if y.Type != cubin.SymSection && y.Name != "" {
				names = append(names, y.Name)
			}
		}
	}
	return names
}

// TestExplainNamesOfTheSource checks that an explanation has the name in the source if that name is different
// (REACH-503).
func TestExplainNamesOfTheSource(t *testing.T) {
	data, err := os.ReadFile("input/testdata/k.90.cubin")
	if err != nil {
		t.Fatal(err)
	}
	names := symbolNames(t, data)
	for source, want := range map[string]string{names[0]: "", "k(int)": "k(int)"} {
		opt := linker.Options{ToolName: "nvlink", Arch: "sm_90", Explain: names[:1], Demangle: func(string) string { return source }}
		told := linker.Link(context.Background(), opt, []linker.Input{{Name: "a", Data: data}}).Explanations
		if len(told) != 1 || told[0].Source != want {
			t.Errorf("%q: %+v", source, told)
		}
	}
}

// TestTimes checks that a link in memory reports how long each phase took, including the last one. Together
// they take no longer than the link (OPT-500).
func TestTimes(t *testing.T) {
	data, err := os.ReadFile("input/testdata/k.90.cubin")
	if err != nil {
		t.Fatal(err)
	}
	var phases []any
	took := 0.0
	opt := linker.Options{ToolName: "nvlink", Arch: "sm_90", Trace: func(e trace.Event) {
		if e.Phase() == trace.Time {
			phases = append(phases, e.Args[0])
			took += e.Args[1].(float64)
		}
	}}
	start := time.Now()
	if err := linker.Link(context.Background(), opt, []linker.Input{{Name: "a", Data: data}}).Err(); err != nil {
		t.Fatal(err)
	}
	if want := []any{"load", "merge", "reach", "layout", "finalize", "relocate", "emit"}; !slices.Equal(phases, want) {
		t.Errorf("%v, want %v", phases, want)
	}
	if all := time.Since(start).Seconds(); took > all {
		t.Errorf("the phases took %g seconds, the link %g", took, all)
	}
}

// TestNotesOfWhatStays checks a link in which nothing has moved. The relocations that are recorded in the
// inputs are not restored, and the link does not start again (RELOC-402).
func TestNotesOfWhatStays(t *testing.T) {
	data, err := os.ReadFile("input/testdata/k.90.cubin")
	if err != nil {
		t.Fatal(err)
	}
	opt := linker.Options{ToolName: "nvlink", Arch: "sm_90", Relocatable: true, PreserveRelocs: true}
	part := linker.Link(context.Background(), opt, []linker.Input{{Name: "a", Data: data}})
	if part.Err() != nil || !bytes.Contains(part.Output, []byte(".nv.resolvedrela")) {
		t.Fatal("no notes", part.Err())
	}
	loads := 0
	opt = linker.Options{ToolName: "nvlink", Arch: "sm_90", Trace: func(e trace.Event) {
		if e.Phase() == trace.Time && e.Args[0] == "load" {
			loads++
		}
	}}
	if err := linker.Link(context.Background(), opt, []linker.Input{{Name: "a", Data: part.Output}}).Err(); err != nil || loads != 1 {
		t.Errorf("it loads %d times, %v", loads, err)
	}
}

// TestExplainFailedMerge checks a link that ends before the layout: an explanation has what the inputs contain
// (REACH-500).
func TestExplainFailedMerge(t *testing.T) {
	data, err := os.ReadFile("input/testdata/k.90.cubin")
	if err != nil {
		t.Fatal(err)
	}
	names := symbolNames(t, data)
	opt := linker.Options{ToolName: "nvlink", Arch: "sm_90", Explain: names}
	failed := linker.Link(context.Background(), opt, []linker.Input{{Name: "a", Data: data}, {Name: "b", Data: data}})
	if failed.Err() == nil || len(failed.Explanations) != len(names) || len(names) == 0 {
		t.Errorf("%v: %d of %d names are explained", failed.Err(), len(failed.Explanations), len(names))
	}
}
