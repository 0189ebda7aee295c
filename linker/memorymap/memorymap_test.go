package memorymap_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/culink/culink/corpus"
	"github.com/culink/culink/linker"
	"github.com/culink/culink/linker/memorymap"
)

// linked returns the map of a link of some inputs of a corpus case.
func linked(t *testing.T, id, sm string, inputs ...string) *memorymap.Map {
	t.Helper()
	var files []linker.Input
	for _, name := range inputs {
		data, err := corpus.Files.ReadFile(id + "/sm_" + sm + "/in/" + name)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, linker.Input{Name: name, Data: data})
	}
	r := linker.Link(t.Context(), linker.Options{ToolName: "nvlink", Arch: "sm_" + sm, Map: true}, files)
	if r.Output == nil || r.Map == nil {
		t.Fatalf("no link: %v", r.Log.Diagnostics)
	}
	return r.Map
}

func ofTwoFiles(t *testing.T) *memorymap.Map {
	return linked(t, "shared/shared-of-two-kernels", "80", inputsOf(t, "shared/shared-of-two-kernels/sm_80/in")...)
}

func inputsOf(t *testing.T, dir string) (names []string) {
	t.Helper()
	entries, err := corpus.Files.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// The numbers of a map add up: sections to spaces, and inputs to spaces. Every part is inside its section, and
// every name is known (LAYOUT-503).
func TestMapAddsUp(t *testing.T) {
	m := ofTwoFiles(t)
	if m.Target != "sm_80" || len(m.Spaces) != 6 || len(m.Kernels) < 2 || len(m.Inputs) == 0 {
		t.Fatalf("target %s, %d spaces, %d kernels, %d inputs", m.Target, len(m.Spaces), len(m.Kernels), len(m.Inputs))
	}
	for i, space := range m.Spaces {
		var sections, inputs uint64
		for _, s := range space.Sections {
			sections += s.Size
			for _, p := range s.Parts {
				if p.Offset+p.Size > s.Size || p.Input == "" {
					t.Errorf("%s: part %+v of %d bytes", s.Name, p, s.Size)
				}
			}
		}
		for _, in := range m.Inputs {
			inputs += in.Bytes[i]
		}
		if sections != space.Size || inputs != space.Size {
			t.Errorf("%s: %d bytes, sections %d, inputs %d", space.Name, space.Size, sections, inputs)
		}
	}
	common := 0
	for _, s := range m.Spaces[3].Sections {
		for _, p := range s.Parts {
			if strings.HasSuffix(p.What, " (common)") {
				common++
			}
		}
	}
	if common < 2 {
		t.Errorf("%d common variables in %+v", common, m.Spaces[3])
	}
	for _, k := range m.Kernels {
		if fn := m.Functions[k.Function]; !fn.Kernel || fn.Input == "" || k.Registers == 0 || len(k.Deepest) == 0 || k.Deepest[0] != k.Function {
			t.Errorf("kernel %+v is %+v", k, fn)
		}
	}
}

// The JSON form has everything that a map has.
func TestJSON(t *testing.T) {
	m := ofTwoFiles(t)
	var a, b bytes.Buffer
	if err := m.WriteJSON(&a); err != nil {
		t.Fatal(err)
	}
	again, err := memorymap.Read("m.json", a.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	if err := again.WriteJSON(&b); err != nil || !bytes.Equal(a.Bytes(), b.Bytes()) || !memorymap.Is(a.Bytes()) {
		t.Errorf("%v, %t", err, memorymap.Is(a.Bytes()))
	}
	for text, want := range map[string]string{
		`{`:                  "m.json: unexpected end",
		`{"format":"other"}`: `m.json: no memory map of culink --map FILE.json: format "other"`,
		`{"format":"` + memorymap.Format + `","calls":[[0,1]]}`:            "m.json: a call of function 1 by 0, of 0 functions",
		`{"format":"` + memorymap.Format + `","kernels":[{"function":3}]}`: "m.json: a kernel is function 3 of 0",
	} {
		if _, err := memorymap.Read("m.json", []byte(text)); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

// Growth is listed by group, the largest change first.
func TestCompare(t *testing.T) {
	a, b := ofTwoFiles(t), ofTwoFiles(t)
	if all := memorymap.Compare(a, b); len(all) != 0 {
		t.Errorf("the same map: %+v", all)
	}
	b.Kernels[0].Registers += 5
	b.Spaces[0].Size += 128
	b.Spaces[1].Size += 256
	name := b.Functions[b.Kernels[0].Function].Name
	var out strings.Builder
	if err := memorymap.WriteGrowth(&out, memorymap.Compare(a, b)); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(out.String(), "\n")
	if len(lines) != 4 || !strings.HasSuffix(lines[0], "+256  space global: bytes") || !strings.HasSuffix(lines[1], "+128  space code: bytes") || !strings.HasSuffix(lines[2], "+5  kernel "+name+": registers") {
		t.Errorf("\n%s", &out)
	}
}

// Names are shown as they are in the source or in the file. This includes the names of static variables in
// functions, and of variables of several kernels.
func TestNames(t *testing.T) {
	m := &memorymap.Map{Target: "sm_90", Failed: "why", Spaces: []memorymap.Space{{Name: memorymap.Shared, Size: 8, Sections: []memorymap.Section{{
		Name: ".nv.shared.k", Size: 8, Align: 4,
		Parts:   []memorymap.Part{{Size: 4, Input: "a.cubin", What: "$___ZZ1fiE1v__12"}, {Offset: 4, Size: 4, Input: "a.cubin", What: memorymap.Common("_Z1w")}},
		Symbols: []memorymap.Symbol{{Name: "_Z1x", Size: 4}, {Name: "plain", Size: 4}},
	}}}}, Inputs: []memorymap.Input{{Name: "a.cubin", Bytes: []uint64{8}}}}
	m.Demangle(func(name string) string {
		if strings.HasPrefix(name, "_Z") {
			return "source of " + name
		}
		return name
	})
	for sources, want := range map[bool][]string{
		true:  {"a.cubin  source of _ZZ1fiE1v\n", "    source of _Z1x\n", "    plain\n", "a.cubin  source of _Z1w (common)\n"},
		false: {"a.cubin  $___ZZ1fiE1v__12\n", "    _Z1x\n", "    plain\n", "a.cubin  _Z1w (common)\n"},
	} {
		var b strings.Builder
		if err := m.WriteText(&b, sources); err != nil {
			t.Fatal(err)
		}
		for _, w := range append(want, "memory map of sm_90, in bytes\nTHE LINK FAILED: why\n\nshared: 0x8\n", "by input:\n") {
			if !strings.Contains(b.String(), w) {
				t.Errorf("no %q in\n%s", w, &b)
			}
		}
	}
}
