package conformance

import (
	"strings"
	"testing"
)

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
