package report

import (
	"strings"
	"testing"

	"github.com/culink/culink/conformance/judge"
	"github.com/culink/culink/conformance/plan"
)

// A report passes only in the facets that were judged. Its conclusion counts skipped and waived verdicts (CONF-011).
func TestConclusion(t *testing.T) {
	exit := func(v judge.Verdict) judge.Verdict {
		v.Case, v.SM, v.Step, v.Facet = "a/b", "80", 1, judge.FacetExit
		return v
	}
	bytes := func(v judge.Verdict) judge.Verdict {
		v = exit(v)
		v.Facet = judge.FacetBytes
		return v
	}
	differs := []judge.Difference{{Facet: judge.FacetExit, Key: "exit", Want: "0", Got: "1"}}
	for _, c := range []struct {
		name     string
		verdicts []judge.Verdict
		stale    []plan.StaleWaiver
		standing Standing
		want     string
	}{
		{"all pass", []judge.Verdict{exit(judge.Verdict{}), bytes(judge.Verdict{})}, nil, Conforms, "conforming to nvlink 1.0 in exit, bytes: 1 link"},
		{"one facet alone", []judge.Verdict{exit(judge.Verdict{})}, nil, Conforms, "conforming to nvlink 1.0 in exit: 1 link; not judged: bytes"},
		{"one facet skipped", []judge.Verdict{exit(judge.Verdict{}), bytes(judge.Verdict{Skip: "*:bytes"})}, nil, Conforms,
			"conforming to nvlink 1.0 in exit: 1 link; 1 verdict skipped; not judged: bytes"},
		{"a waiver", []judge.Verdict{exit(judge.Verdict{Waived: 2}), bytes(judge.Verdict{})}, nil, Conforms, "conforming to nvlink 1.0 in exit, bytes: 1 link; 1 verdict waived"},
		{"everything skipped", []judge.Verdict{exit(judge.Verdict{Skip: "*"}), bytes(judge.Verdict{Skip: "*"})}, nil, NothingJudged,
			"no verdict about the linker; 2 verdicts skipped; not judged: exit, bytes"},
		{"nothing at all", nil, nil, NothingJudged, "no verdict about the linker; not judged: exit, bytes"},
		{"a difference", []judge.Verdict{exit(judge.Verdict{Differences: differs}), bytes(judge.Verdict{})}, nil, Fails, "differing from nvlink 1.0: 1 of 1 link"},
		{"a stale waiver", []judge.Verdict{exit(judge.Verdict{}), bytes(judge.Verdict{})}, []plan.StaleWaiver{{Waiver: "x/y exit *", Why: "names no case"}}, Fails, "1 waiver that nothing needs"},
	} {
		r := &Report{Toolkit: "1.0", Facets: []judge.Facet{judge.FacetExit, judge.FacetBytes}, Verdicts: c.verdicts, StaleWaivers: c.stale}
		if got := r.Conclusion(); r.Standing() != c.standing || got != c.want {
			t.Errorf("%s: %d %q, want %d %q", c.name, r.Standing(), got, c.standing, c.want)
		}
	}
}

// A waived difference passes and is counted. A waiver that is not needed is reported.
func TestWaiversAreApplied(t *testing.T) {
	d := judge.Difference{Facet: judge.FacetExit, Key: "exit"}
	verdicts := []judge.Verdict{
		{Case: "a/b", SM: "80", Facet: judge.FacetExit, Differences: []judge.Difference{d}},
		{Case: "a/b", SM: "90", Facet: judge.FacetExit, Differences: []judge.Difference{d}},
	}
	use := plan.NewWaiverUse([]plan.Waiver{{Case: "a/b/sm_80", Facet: judge.FacetExit, Key: "*"}, {Case: "x/*", Facet: judge.FacetExit, Key: "*", Line: 7}})
	use.Apply(verdicts)
	if unused := use.Unused(); len(unused) != 1 || unused[0].Line != 7 {
		t.Errorf("unused %+v", unused)
	}
	r := &Report{Facets: []judge.Facet{judge.FacetExit}, Verdicts: verdicts}
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
