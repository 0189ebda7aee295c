package judge

import (
	"bytes"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/culink/culink/conformance/attempt"
	"github.com/culink/culink/conformance/suite"
	"github.com/culink/culink/conformance/suite/suitetest"
	"github.com/culink/culink/corpus"
	"github.com/culink/culink/linker"
	"github.com/culink/culink/linker/cubin"
)

// recorded returns the outcome of the first step of a case.
func recorded(t *testing.T, id, sm string) *attempt.Outcome {
	t.Helper()
	c := suitetest.Case(t, id)
	r, err := suite.LoadRecording(corpus.Files, c, sm)
	if err != nil {
		t.Fatal(err)
	}
	return &r.Steps[0]
}

// sectionBytes returns the bytes of a section of out.cubin, without copying them.
func sectionBytes(t *testing.T, o *attempt.Outcome, name string) []byte {
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

// failing returns the facets on which got differs from the wanted outcome.
func failing(expect suite.Expectation, want, got *attempt.Outcome) []Facet {
	var out []Facet
	for _, f := range Facets {
		if len(Compare(f, expect, want, got)) > 0 {
			out = append(out, f)
		}
	}
	return out
}

// Another tool name in messages is not a difference (DIAG-001).
func TestMessagesIgnoreTheToolsName(t *testing.T) {
	want := recorded(t, "messages/undefined", "80")
	got := suitetest.Clone(want)
	got.Stderr = bytes.ReplaceAll(want.Stderr, []byte("nvlink "), []byte("/opt/culink "))
	if facets := failing(suite.ExpectRecorded, want, got); facets != nil {
		t.Errorf("fails %q", facets)
	}
	got.Stderr = bytes.ReplaceAll(want.Stderr, []byte("nvlink "), []byte(""))
	if facets := failing(suite.ExpectRecorded, want, got); !slices.Equal(facets, []Facet{FacetMessages}) {
		t.Errorf("without a name: fails %q", facets)
	}
}

func TestCleanError(t *testing.T) {
	crash := &attempt.Outcome{Exit: 139}
	clean := attempt.Outcome{Exit: 1, Stderr: []byte("culink fatal   : the file is damaged\n")}
	for _, c := range []struct {
		name  string
		spoil func(*attempt.Outcome)
		want  []Facet
	}{
		{"clean", func(*attempt.Outcome) {}, nil},
		{"errors only", func(o *attempt.Outcome) {
			o.Exit, o.Stderr = 255, []byte("culink error   : the file is damaged\n")
		}, nil},
		{"a crash too", func(o *attempt.Outcome) { o.Exit = 139 }, []Facet{FacetExit}},
		{"a panic", func(o *attempt.Outcome) { o.Exit, o.Stderr = 2, []byte("panic: boom\n") }, []Facet{FacetExit, FacetMessages}},
		{"success", func(o *attempt.Outcome) { o.Exit = 0 }, []Facet{FacetExit}},
		{"silence", func(o *attempt.Outcome) { o.Stderr = nil }, []Facet{FacetMessages}},
		{"an output", func(o *attempt.Outcome) { o.Files = attempt.Files{"out.cubin": nil} }, []Facet{FacetFile}},
		{"a hang", func(o *attempt.Outcome) { o.Killed = "time" }, []Facet{FacetExit, FacetMessages, FacetFile}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := clean
			c.spoil(&got)
			if facets := failing(suite.ExpectCleanError, crash, &got); !slices.Equal(facets, c.want) {
				t.Errorf("fails %q, want %q", facets, c.want)
			}
		})
	}
}

func TestRightCode(t *testing.T) {
	refused := &attempt.Outcome{Exit: 1, Stderr: []byte("nvlink fatal   : Internal error: unexpected reloc\n")}
	right := attempt.Outcome{Stderr: []byte("culink warning : as you like\n"), Files: attempt.Files{"out.cubin": nil}}
	for _, c := range []struct {
		name  string
		spoil func(*attempt.Outcome)
		want  []Facet
	}{
		{"right", func(*attempt.Outcome) {}, nil},
		{"an error", func(o *attempt.Outcome) { o.Stderr = refused.Stderr }, []Facet{FacetMessages}},
		{"a failure", func(o *attempt.Outcome) { *o = *refused }, []Facet{FacetExit, FacetMessages, FacetFile}},
		{"nothing written", func(o *attempt.Outcome) { o.Files = nil }, []Facet{FacetFile}},
		{"a hang", func(o *attempt.Outcome) { o.Killed = "time" }, []Facet{FacetExit, FacetMessages, FacetFile, FacetSound}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := right
			c.spoil(&got)
			if facets := failing(suite.ExpectRightCode, refused, &got); !slices.Equal(facets, c.want) {
				t.Errorf("fails %q, want %q", facets, c.want)
			}
		})
	}
}

func TestImageComparesWhatIsNoCubinByItsBytes(t *testing.T) {
	want := &attempt.Outcome{Files: attempt.Files{"graph.dot": []byte("a -> b\n")}}
	got := &attempt.Outcome{Files: maps.Clone(want.Files)}
	if facets := failing(suite.ExpectRecorded, want, got); facets != nil {
		t.Errorf("equal files fail %q", facets)
	}
	got.Files["graph.dot"] = []byte("a -> c\n")
	if facets := failing(suite.ExpectRecorded, want, got); !slices.Equal(facets, []Facet{FacetImage, FacetBytes}) {
		t.Errorf("fails %q", facets)
	}
}

// If a kernel has another assignment of scoreboards, this is one difference, whose key a waiver can name. Any other
// changed bit of the kernel is another difference.
func TestScheduleHasAKeyOfItsOwn(t *testing.T) {
	r, err := suite.LoadRecording(corpus.Files, suitetest.Case(t, "info/pragmas-and-exits"), "100")
	if err != nil {
		t.Fatal(err)
	}
	linked := linker.Link(t.Context(), linker.Options{ToolName: "nvlink", Arch: "sm_100", Note: "-arch sm_100 "},
		[]linker.Input{{Name: "a.cubin", Data: r.Inputs["a.cubin"]}})
	got := suitetest.Clone(&r.Steps[0])
	got.Files["out.cubin"] = linked.Output
	keys := func(f Facet) []string {
		var keys []string
		for _, d := range Compare(f, suite.ExpectRecorded, &r.Steps[0], got) {
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

// A tool name that an option sets is compared. The name of the tool itself is not.
func TestMessagesKeepAGivenName(t *testing.T) {
	want := &attempt.Outcome{Stderr: []byte("other error   : no\n")}
	for name, passes := range map[string]bool{"other": true, "nvlink": false, "culink": false} {
		got := &attempt.Outcome{Stderr: []byte(name + " error   : no\n")}
		if d := Compare(FacetMessages, suite.ExpectRecorded, want, got); (d == nil) != passes {
			t.Errorf("%s: %v", name, d)
		}
	}
	want.Stderr = []byte("nvlink error   : no\n")
	if d := Compare(FacetMessages, suite.ExpectRecorded, want, &attempt.Outcome{Stderr: []byte("culink error   : no\n")}); d != nil {
		t.Errorf("its own name: %v", d)
	}
}

func TestParseFacets(t *testing.T) {
	for list, want := range map[string][]Facet{
		"":                 Facets,
		"image":            {FacetImage},
		"bytes,exit,bytes": {FacetExit, FacetBytes},
	} {
		if got, err := ParseFacets(list); err != nil || !slices.Equal(got, want) {
			t.Errorf("%q: %q, %v; want %q", list, got, err, want)
		}
	}
	if _, err := ParseFacets("exit,taste"); err == nil || !strings.Contains(err.Error(), `unknown facet "taste"`) {
		t.Errorf("error %v", err)
	}
}

// A mark, such as an empty folder, is a difference of the facet file.
func TestMarksAreJudged(t *testing.T) {
	marked := &attempt.Outcome{Marks: attempt.Marks{"deep/er/": "an empty folder", "$TMPDIR/culink.tmp": "left"}}
	if d := Compare(FacetFile, suite.ExpectRecorded, &attempt.Outcome{}, marked); len(d) != len(marked.Marks) {
		t.Errorf("%d differences for %d marks", len(d), len(marked.Marks))
	}
	if d := Compare(FacetFile, suite.ExpectRecorded, marked, marked); d != nil {
		t.Errorf("of itself it differs in %v", d)
	}
}
