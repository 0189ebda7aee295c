package plan

import (
	"strings"
	"testing"

	"github.com/culink/culink/conformance/judge"
	"github.com/culink/culink/conformance/suite"
	"github.com/culink/culink/linker/arch"
)

func TestWaiverExcuses(t *testing.T) {
	d := judge.Difference{Facet: judge.FacetImage, Key: "out.cubin:section.text.k.bytes"}
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
		{"a/b/sm_80/2 image * why", true},
		{"a/b/*/2 image * why", true},
		{"a/b/sm_80/1 image * why", false},
	} {
		waivers, err := ParseWaivers("w", "# comment\n\n"+c.line+"\n", nil)
		if err != nil {
			t.Fatal(err)
		}
		if len(waivers) != 1 || waivers[0].Line != 3 || waivers[0].Reason != "why" {
			t.Fatalf("%q: got %+v", c.line, waivers)
		}
		if got := waivers[0].Excuses("a/b", "80", 2, d); got != c.want {
			t.Errorf("%q excuses: %v", c.line, got)
		}
	}
}

// A waiver of some releases is none of the others. Without a release, those of the recordings' release apply (CONF-982).
func TestWaiversOfReleases(t *testing.T) {
	for _, c := range []struct{ releases, version, want string }{
		{"", "13.0", "a/b"},
		{"", "11.2", "a/b"},
		{"@13.0", "", "a/b"},
		{"@13.0", "13.0.48", "a/b"},
		{"@13.0", "13.1", ""},
		{"@13.0.48", "13.0.48", "a/b"},
		{"@13.0.48", "", ""},
		{"@13.1..", "", ""},
		{"@13.1..", "13.1.80", "a/b"},
		{"@13.1..", "13.5", "a/b"},
		{"@13.1..13.3", "13.4", ""},
		{"@..11.7", "11.2", "a/b"},
		{"@..11.7", "11.8", ""},
	} {
		var release *arch.Profile
		if c.version != "" {
			var err error
			if release, err = arch.Find(c.version); err != nil {
				t.Fatal(err)
			}
		}
		waivers, err := ParseWaivers("w", "a/b"+c.releases+" image * why\n", release)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, w := range waivers {
			got += w.Case
		}
		if got != c.want {
			t.Errorf("%q for %q: %q, want %q", c.releases, c.version, got, c.want)
		}
	}
}

// A line with several facets gives a waiver for each facet.
func TestWaiverOfSeveralFacets(t *testing.T) {
	waivers, err := ParseWaivers("w", "a/b image,bytes * why\n", nil)
	if err != nil || len(waivers) != 2 || waivers[0].Facet != judge.FacetImage || waivers[1].Facet != judge.FacetBytes {
		t.Errorf("%+v, %v", waivers, err)
	}
}

func TestParseWaiversRefuses(t *testing.T) {
	for _, c := range []struct{ line, want string }{
		{"a/b image *", "w:1: a waiver is: CASE FACETS KEY REASON"},
		{"a/b colour * why", `w:1: unknown facet "colour"`},
		{"a/[b image * why", "w:1: bad pattern a/[b"},
		{"a/b@13 image * why", `w:1: "13" is no release such as 13.1`},
		{"a/b@.. image * why", `w:1: ".." has none of the releases 11.2.152, `},
	} {
		if _, err := ParseWaivers("w", c.line, nil); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: error %v", c.line, err)
		}
	}
}

// A waiver is stale if it matches no case, or if everything that it matches was judged and did not need it (CONF-011).
func TestStaleWaivers(t *testing.T) {
	cases := []*suite.Case{{Area: "a", Name: "b", Targets: []string{"80", "90"}, Steps: make([][]string, 1)}, {Area: "a", Name: "c", Targets: []string{"80"}, Steps: make([][]string, 1)}}
	targets := func(c *suite.Case) []string { return c.Targets }
	waivers := []Waiver{
		{Case: "no/such", Releases: "@13.1..", Facet: judge.FacetExit, Key: "*"},
		{Case: "a/b/sm_80", Facet: judge.FacetExit, Key: "*"},
		{Case: "a/b", Facet: judge.FacetExit, Key: "*"},
		{Case: "a/b/sm_80", Facet: judge.FacetBytes, Key: "*"}, // not judged
		{Case: "a/c", Facet: judge.FacetExit, Key: "*"},        // skipped
	}
	selection := Selection{Facets: []judge.Facet{judge.FacetExit}}
	verdicts := []judge.Verdict{{Case: "a/c", SM: "80", Step: 1, Facet: judge.FacetExit, Skip: "a/c"}}
	part := []Unit{{cases[0], "80"}, {cases[1], "80"}}
	for _, c := range []struct {
		units []Unit
		want  []StaleWaiver
	}{
		{part, []StaleWaiver{{"no/such@13.1.. exit *", "names no case"}, {"a/b/sm_80 exit *", "excuses nothing"}}},
		{append(part, Unit{cases[0], "90"}), []StaleWaiver{{"no/such@13.1.. exit *", "names no case"}, {"a/b/sm_80 exit *", "excuses nothing"}, {"a/b exit *", "excuses nothing"}}},
	} {
		got := NewWaiverUse(waivers).Stale(selection, c.units, verdicts, targets, cases)
		if len(got) != len(c.want) {
			t.Fatalf("got %v, want %v", got, c.want)
		}
		for i := range got {
			if got[i] != c.want[i] {
				t.Errorf("got %v, want %v", got[i], c.want[i])
			}
		}
	}
	none := func(*suite.Case) []string { return nil } // of an older release
	if got := NewWaiverUse(waivers[:2]).Stale(selection, nil, nil, none, cases); len(got) != 1 || got[0].Waiver != "no/such@13.1.. exit *" {
		t.Errorf("without targets: %v", got)
	}
}
