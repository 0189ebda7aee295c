package conformance

import (
	"bytes"
	"maps"
	"slices"
	"testing"

	"github.com/culink/culink/corpus"
	"github.com/culink/culink/linker"
	"github.com/culink/culink/linker/cubin"
)

// recorded returns the outcome of the first step of a case.
func recorded(t *testing.T, id, sm string) *Outcome {
	t.Helper()
	c := loadCase(t, id)
	r, err := LoadRecording(corpus.Files, c, sm)
	if err != nil {
		t.Fatal(err)
	}
	return &r.Steps[0]
}

// sectionBytes lends the bytes of a section of out.cubin.
func sectionBytes(t *testing.T, o *Outcome, name string) []byte {
	t.Helper()
	f, err := cubin.Open("out.cubin", o.Files["out.cubin"])
	if err != nil {
		t.Fatal(err)
	}
	s := f.Section(name)
	if s == nil || !s.HasBytes() {
		t.Fatalf("no bytes in %s", name)
	}
	return o.Files["out.cubin"][s.Offset : s.Offset+s.Size]
}

func loadCase(t *testing.T, id string) *Case {
	t.Helper()
	cases, err := LoadCases(corpus.Files)
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(cases, func(c *Case) bool { return c.ID() == id })
	if i < 0 {
		t.Fatalf("no case %s", id)
	}
	return cases[i]
}

// clone copies an outcome so deeply that it can be spoiled.
func (o *Outcome) clone() *Outcome {
	c := *o
	c.Stdout, c.Stderr = bytes.Clone(o.Stdout), bytes.Clone(o.Stderr)
	c.Files = Files{}
	for name, data := range o.Files {
		c.Files[name] = bytes.Clone(data)
	}
	return &c
}

// failing are the facets on which got is not as wanted.
func failing(expect Expectation, want, got *Outcome) []Facet {
	var out []Facet
	for _, f := range Facets {
		if len(Judge(f, expect, want, got)) > 0 {
			out = append(out, f)
		}
	}
	return out
}

// The name of the tool in messages is no difference (DIAG-001).
func TestMessagesIgnoreTheToolsName(t *testing.T) {
	want := recorded(t, "messages/undefined", "80")
	got := want.clone()
	got.Stderr = bytes.ReplaceAll(want.Stderr, []byte("nvlink "), []byte("/opt/culink "))
	if facets := failing(ExpectRecorded, want, got); facets != nil {
		t.Errorf("fails %q", facets)
	}
	got.Stderr = bytes.ReplaceAll(want.Stderr, []byte("nvlink "), []byte(""))
	if facets := failing(ExpectRecorded, want, got); !slices.Equal(facets, []Facet{FacetMessages}) {
		t.Errorf("without a name: fails %q", facets)
	}
}

func TestCleanError(t *testing.T) {
	crash := &Outcome{Exit: 139}
	clean := Outcome{Exit: 1, Stderr: []byte("culink fatal   : the file is damaged\n")}
	for _, c := range []struct {
		name  string
		spoil func(*Outcome)
		want  []Facet
	}{
		{"clean", func(*Outcome) {}, nil},
		{"errors only", func(o *Outcome) {
			o.Exit, o.Stderr = 255, []byte("culink error   : the file is damaged\n")
		}, nil},
		{"a crash too", func(o *Outcome) { o.Exit = 139 }, []Facet{FacetExit}},
		{"a panic", func(o *Outcome) { o.Exit, o.Stderr = 2, []byte("panic: boom\n") }, []Facet{FacetExit, FacetMessages}},
		{"success", func(o *Outcome) { o.Exit = 0 }, []Facet{FacetExit}},
		{"silence", func(o *Outcome) { o.Stderr = nil }, []Facet{FacetMessages}},
		{"an output", func(o *Outcome) { o.Files = Files{"out.cubin": nil} }, []Facet{FacetFile}},
		{"a hang", func(o *Outcome) { o.Killed = "time" }, []Facet{FacetExit, FacetMessages, FacetFile}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := clean
			c.spoil(&got)
			if facets := failing(ExpectCleanError, crash, &got); !slices.Equal(facets, c.want) {
				t.Errorf("fails %q, want %q", facets, c.want)
			}
		})
	}
}

func TestRightCode(t *testing.T) {
	refused := &Outcome{Exit: 1, Stderr: []byte("nvlink fatal   : Internal error: unexpected reloc\n")}
	right := Outcome{Stderr: []byte("culink warning : as you like\n"), Files: Files{"out.cubin": nil}}
	for _, c := range []struct {
		name  string
		spoil func(*Outcome)
		want  []Facet
	}{
		{"right", func(*Outcome) {}, nil},
		{"an error", func(o *Outcome) { o.Stderr = refused.Stderr }, []Facet{FacetMessages}},
		{"a failure", func(o *Outcome) { *o = *refused }, []Facet{FacetExit, FacetMessages, FacetFile}},
		{"nothing written", func(o *Outcome) { o.Files = nil }, []Facet{FacetFile}},
		{"a hang", func(o *Outcome) { o.Killed = "time" }, []Facet{FacetExit, FacetMessages, FacetFile, FacetSound}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := right
			c.spoil(&got)
			if facets := failing(ExpectRightCode, refused, &got); !slices.Equal(facets, c.want) {
				t.Errorf("fails %q, want %q", facets, c.want)
			}
		})
	}
}

func TestImageComparesWhatIsNoCubinByItsBytes(t *testing.T) {
	want := &Outcome{Files: Files{"graph.dot": []byte("a -> b\n")}}
	got := &Outcome{Files: maps.Clone(want.Files)}
	if facets := failing(ExpectRecorded, want, got); facets != nil {
		t.Errorf("equal files fail %q", facets)
	}
	got.Files["graph.dot"] = []byte("a -> c\n")
	if facets := failing(ExpectRecorded, want, got); !slices.Equal(facets, []Facet{FacetImage, FacetBytes}) {
		t.Errorf("fails %q", facets)
	}
}

// A kernel with scoreboards of its own is one difference, with a key that a waiver can
// name; another bit of it is another difference.
func TestScheduleHasAKeyOfItsOwn(t *testing.T) {
	r, err := LoadRecording(corpus.Files, loadCase(t, "info/pragmas-and-exits"), "100")
	if err != nil {
		t.Fatal(err)
	}
	linked := linker.Link(t.Context(), linker.Options{ToolName: "nvlink", Arch: "sm_100", Note: "-arch sm_100 "},
		[]linker.Input{{Name: "a.cubin", Data: r.Inputs["a.cubin"]}})
	got := r.Steps[0].clone()
	got.Files["out.cubin"] = linked.Output
	keys := func(f Facet) []string {
		var keys []string
		for _, d := range Judge(f, ExpectRecorded, &r.Steps[0], got) {
			keys = append(keys, d.Key)
		}
		slices.Sort(keys)
		return keys
	}
	want := []string{"out.cubin:section.text.k1.schedule"}
	for _, f := range []Facet{FacetImage, FacetBytes} {
		if k := keys(f); !slices.Equal(k, want) {
			t.Errorf("%s: %q", f, k)
		}
	}
	sectionBytes(t, got, ".text.k1")[4]++
	if k := keys(FacetImage); len(k) == 0 || slices.Contains(k, want[0]) {
		t.Errorf("with an operand changed: %q", k)
	}
}
