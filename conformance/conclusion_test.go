package conformance

import "testing"

// A report passes only about what was judged, and its conclusion counts what was skipped and waived (CONF-011).
func TestConclusion(t *testing.T) {
	exit := func(v Verdict) Verdict {
		v.Case, v.SM, v.Step, v.Facet = "a/b", "80", 1, FacetExit
		return v
	}
	bytes := func(v Verdict) Verdict {
		v = exit(v)
		v.Facet = FacetBytes
		return v
	}
	differs := []Difference{{Facet: FacetExit, Key: "exit", Want: "0", Got: "1"}}
	for _, c := range []struct {
		name     string
		verdicts []Verdict
		stale    []StaleWaiver
		standing Standing
		want     string
	}{
		{"all pass", []Verdict{exit(Verdict{}), bytes(Verdict{})}, nil, Conforms, "conforming to nvlink 1.0 in exit, bytes: 1 link"},
		{"one facet alone", []Verdict{exit(Verdict{})}, nil, Conforms, "conforming to nvlink 1.0 in exit: 1 link; not judged: bytes"},
		{"one facet skipped", []Verdict{exit(Verdict{}), bytes(Verdict{Skip: "*:bytes"})}, nil, Conforms,
			"conforming to nvlink 1.0 in exit: 1 link; 1 verdict skipped; not judged: bytes"},
		{"a waiver", []Verdict{exit(Verdict{Waived: 2}), bytes(Verdict{})}, nil, Conforms, "conforming to nvlink 1.0 in exit, bytes: 1 link; 1 verdict waived"},
		{"everything skipped", []Verdict{exit(Verdict{Skip: "*"}), bytes(Verdict{Skip: "*"})}, nil, NothingJudged,
			"no verdict about the linker; 2 verdicts skipped; not judged: exit, bytes"},
		{"nothing at all", nil, nil, NothingJudged, "no verdict about the linker; not judged: exit, bytes"},
		{"a difference", []Verdict{exit(Verdict{Differences: differs}), bytes(Verdict{})}, nil, Fails, "differing from nvlink 1.0: 1 of 1 link"},
		{"a stale waiver", []Verdict{exit(Verdict{}), bytes(Verdict{})}, []StaleWaiver{{"x/y exit *", "names no case"}}, Fails, "1 waiver that nothing needs"},
	} {
		r := &Report{Toolkit: "1.0", Facets: []Facet{FacetExit, FacetBytes}, Verdicts: c.verdicts, StaleWaivers: c.stale}
		if got := r.Conclusion(); r.Standing() != c.standing || got != c.want {
			t.Errorf("%s: %d %q, want %d %q", c.name, r.Standing(), got, c.standing, c.want)
		}
	}
}

// A waiver is stale when it names no case, and when all that it names was judged and nothing needed it (CONF-011).
func TestStaleWaivers(t *testing.T) {
	cases := []*Case{{Area: "a", Name: "b", Targets: []string{"80", "90"}}, {Area: "a", Name: "c", Targets: []string{"80"}}}
	targets := func(c *Case) []string { return c.Targets }
	waivers := []Waiver{
		{Case: "no/such", Facet: FacetExit, Key: "*"},
		{Case: "a/b/sm_80", Facet: FacetExit, Key: "*"},
		{Case: "a/b", Facet: FacetExit, Key: "*"},
		{Case: "a/b/sm_80", Facet: FacetBytes, Key: "*"}, // not asked for
		{Case: "a/c", Facet: FacetExit, Key: "*"},        // skipped
	}
	selection := Selection{Facets: []Facet{FacetExit}}
	verdicts := []Verdict{{Case: "a/c", SM: "80", Step: 1, Facet: FacetExit, Skip: "a/c"}}
	part := []unit{{cases[0], "80"}, {cases[1], "80"}}
	for _, c := range []struct {
		units []unit
		want  []StaleWaiver
	}{
		{part, []StaleWaiver{{"no/such exit *", "names no case"}, {"a/b/sm_80 exit *", "excuses nothing"}}},
		{append(part, unit{cases[0], "90"}), []StaleWaiver{{"no/such exit *", "names no case"}, {"a/b/sm_80 exit *", "excuses nothing"}, {"a/b exit *", "excuses nothing"}}},
	} {
		got := newWaiverUse(waivers).stale(selection, c.units, verdicts, targets, cases)
		if len(got) != len(c.want) {
			t.Fatalf("got %v, want %v", got, c.want)
		}
		for i := range got {
			if got[i] != c.want[i] {
				t.Errorf("got %v, want %v", got[i], c.want[i])
			}
		}
	}
}
