package conformance

import (
	"strings"
	"testing"
)

func TestWaiverExcuses(t *testing.T) {
	d := Difference{Facet: FacetImage, Key: "out.cubin:section.text.k.bytes"}
	for _, c := range []struct {
		line string
		want bool
	}{
		{"a/b image * why", true},
		{"a/b image out.cubin:section.text.* why", true},
		{"a/* image * why", true},
		{"*/b/sm_80 image * why", true},
		{"a/b/sm_90 image * why", false},
		{"a image * why", true},
		{"b image * why", false},
		{"a/c image * why", false},
		{"a/b bytes * why", false},
		{"a/b image out.cubin:section.data.* why", false},
	} {
		waivers, err := ParseWaivers("w", "# comment\n\n"+c.line+"\n")
		if err != nil {
			t.Fatal(err)
		}
		if len(waivers) != 1 || waivers[0].Line != 3 || waivers[0].Reason != "why" {
			t.Fatalf("%q: got %+v", c.line, waivers)
		}
		if got := waivers[0].Excuses("a/b", "80", d); got != c.want {
			t.Errorf("%q excuses: %v", c.line, got)
		}
	}
}

// A line with several facets is a waiver of each.
func TestWaiverOfSeveralFacets(t *testing.T) {
	waivers, err := ParseWaivers("w", "a/b image,bytes * why\n")
	if err != nil || len(waivers) != 2 || waivers[0].Facet != FacetImage || waivers[1].Facet != FacetBytes {
		t.Errorf("%+v, %v", waivers, err)
	}
}

func TestParseWaiversRefuses(t *testing.T) {
	for _, c := range []struct{ line, want string }{
		{"a/b image *", "w:1: a waiver is: CASE FACETS KEY REASON"},
		{"a/b colour * why", `w:1: unknown facet "colour"`},
		{"a/[b image * why", "w:1: bad pattern a/[b"},
	} {
		if _, err := ParseWaivers("w", c.line); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: error %v", c.line, err)
		}
	}
}

// A waived difference passes and is counted; a waiver without a difference is
// named.
func TestWaiversAreApplied(t *testing.T) {
	d := Difference{Facet: FacetExit, Key: "exit"}
	verdicts := []Verdict{
		{Case: "a/b", SM: "80", Facet: FacetExit, Differences: []Difference{d}},
		{Case: "a/b", SM: "90", Facet: FacetExit, Differences: []Difference{d}},
	}
	use := newWaiverUse([]Waiver{{Case: "a/b/sm_80", Facet: FacetExit, Key: "*"}, {Case: "x/*", Facet: FacetExit, Key: "*", Line: 7}})
	use.apply(verdicts)
	if unused := use.unused(); len(unused) != 1 || unused[0].Line != 7 {
		t.Errorf("unused %+v", unused)
	}
	r := &Report{Facets: []Facet{FacetExit}, Verdicts: verdicts}
	if r.Failed() != 1 || !verdicts[0].Pass() || verdicts[0].Waived != 1 || verdicts[1].Pass() {
		t.Errorf("got %+v", verdicts)
	}
	var table strings.Builder
	if err := r.WriteTable(&table); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(table.String(), "1/2 (1 waived)") {
		t.Errorf("table:\n%s", &table)
	}
}
