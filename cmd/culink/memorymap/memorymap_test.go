package memorymap

import (
	"bytes"
	"regexp"
	"strings"
	"testing"

	"github.com/culink/culink/cmd/culink/edgname"
	"github.com/culink/culink/conformance/browser"
	"github.com/culink/culink/corpus"
	"github.com/culink/culink/linker"
)

// linked is the map of a case of the corpus, from some of its inputs.
func linked(t *testing.T, id, sm string, inputs ...string) *Map {
	t.Helper()
	var files []linker.Input
	for _, name := range inputs {
		data, err := corpus.Files.ReadFile(id + "/sm_" + sm + "/in/" + name)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, linker.Input{Name: name, Data: data})
	}
	r := linker.Link(t.Context(), linker.Options{ToolName: "nvlink", Arch: "sm_" + sm, Map: true, Dot: true}, files)
	if r.Output == nil || r.Map == nil {
		t.Fatalf("no link: %v", r.Log.Diagnostics)
	}
	m, err := New(Link{Text: r.Map, Dot: r.Dot, Output: r.Output, Name: "dir/out.cubin", Demangle: edgname.Demangle})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func ofTwoFiles(t *testing.T) *Map {
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

// A map adds up: sections to spaces, and inputs to spaces; every part lies in its section,
// and every name is known (LAYOUT-503).
func TestMapAddsUp(t *testing.T) {
	m := ofTwoFiles(t)
	if m.Target != "sm_80" || m.Output != "out.cubin" || len(m.Spaces) != 6 || len(m.Kernels) < 2 || len(m.Inputs) == 0 {
		t.Fatalf("target %s, output %s, %d spaces, %d kernels, %d inputs", m.Target, m.Output, len(m.Spaces), len(m.Kernels), len(m.Inputs))
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

// JSON holds all of a map.
func TestJSON(t *testing.T) {
	m := ofTwoFiles(t)
	var a, b bytes.Buffer
	if err := m.WriteJSON(&a); err != nil {
		t.Fatal(err)
	}
	again, err := Read("m.json", a.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	if err := again.WriteJSON(&b); err != nil || !bytes.Equal(a.Bytes(), b.Bytes()) || !Is(a.Bytes()) {
		t.Errorf("%v, %t", err, Is(a.Bytes()))
	}
	for text, want := range map[string]string{
		`{`:                  "m.json: unexpected end",
		`{"format":"other"}`: `m.json: no memory map of culink --map FILE.json: format "other"`,
		`{"format":"` + Format + `","calls":[[0,1]]}`:            "m.json: a call of function 1 by 0, of 0 functions",
		`{"format":"` + Format + `","kernels":[{"function":3}]}`: "m.json: a kernel is function 3 of 0",
	} {
		if _, err := Read("m.json", []byte(text)); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

// The deepest path follows the largest frames; calls that recur have none.
func TestDeepest(t *testing.T) {
	m := &Map{Functions: []Function{{Name: "k", Frame: 8, Kernel: true, Registers: 9}, {Name: "f", Frame: 16, Registers: 4}, {Name: "g", Frame: 24, Registers: 9}, {Name: "h", Frame: 64}}}
	m.readCalls([]byte("digraph callgraph {\nk -> f;\nk -> g;\nf -> h;\nx -> g;\n}\n"))
	k := Kernel{Registers: 9, RaisedBy: -1}
	if m.follow(&k); len(k.Deepest) != 3 || k.Deepest[1] != 1 || k.Deepest[2] != 3 || k.RaisedBy != 2 {
		t.Errorf("%+v", k)
	}
	m.readCalls([]byte("h -> f;\n"))
	k = Kernel{Registers: 9, RaisedBy: -1}
	if m.follow(&k); k.Deepest != nil {
		t.Errorf("%+v, although f and h call each other", k)
	}
}

// What grew is listed by group, the largest change first.
func TestCompare(t *testing.T) {
	a, b := ofTwoFiles(t), ofTwoFiles(t)
	if all := Compare(a, b); len(all) != 0 {
		t.Errorf("the same map: %+v", all)
	}
	b.Kernels[0].Registers += 5
	b.Spaces[0].Size += 128
	b.Spaces[1].Size += 256
	name := b.Functions[b.Kernels[0].Function].title()
	var out strings.Builder
	if err := WriteGrowth(&out, Compare(a, b)); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(out.String(), "\n")
	if len(lines) != 4 || !strings.HasSuffix(lines[0], "+256  space global: bytes") || !strings.HasSuffix(lines[1], "+128  space code: bytes") || !strings.HasSuffix(lines[2], "+5  kernel "+name+": registers") {
		t.Errorf("\n%s", &out)
	}
}

// What is no map as the linker writes it is refused, with its line.
func TestDamagedText(t *testing.T) {
	const head = "memory map of sm_90, in bytes\n"
	for text, want := range map[string]string{
		"memory\n":                              "line 1: no target",
		head + "code: many\n":                   "line 2: ",
		head + "  .text.k: 0x0, alignment 4\n":  "line 2: no section",
		head + "code: 0x0\n      0x0  0x1  a\n": "line 3: no section",
	} {
		if _, err := New(Link{Text: []byte(text)}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

// The page names nothing outside itself, and a browser draws every picture.
func TestPage(t *testing.T) {
	var b bytes.Buffer
	if err := ofTwoFiles(t).WritePage(&b); err != nil {
		t.Fatal(err)
	}
	text := strings.ReplaceAll(b.String(), "http://www.w3.org/2000/svg", "") // a name, not an address
	if outside := regexp.MustCompile(`(?i)https?://|<link|<img|@import|url\(|src=`).FindAllString(text, -1); outside != nil {
		t.Errorf("the page names %q", outside)
	}
	dom := browser.DOM(t, b.Bytes(), "")
	for _, want := range []string{`class="tree"`, `<i class="common"`, "of 255", "most registers", `id="sections"`} {
		if !strings.Contains(dom, want) {
			t.Errorf("no %q in\n%s", want, dom[strings.Index(dom, "<main>"):])
		}
	}
}
