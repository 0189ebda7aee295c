package main

import (
	"strings"
	"testing"

	"github.com/culink/culink/conformance"
	"github.com/culink/culink/conformance/judge"
	"github.com/culink/culink/conformance/report"
)

// On a terminal, one line is updated in place and failures appear above it. Elsewhere there is a line for each area.
func TestProgress(t *testing.T) {
	failed := judge.Verdict{Case: "a/y", SM: "80", Step: 1, Facet: judge.FacetExit, Differences: []judge.Difference{
		{Facet: judge.FacetExit, Key: "exit", Want: "0", Got: "1"},
	}}
	bytes := failed // another failure of the same link
	bytes.Facet = judge.FacetBytes
	steps := []conformance.Progress{
		{Done: 2, All: 5, Case: "a/x", SM: "80"},
		{Done: 4, All: 5, Case: "a/y", SM: "80", Verdicts: []judge.Verdict{failed, bytes}},
		{Done: 5, All: 5, Case: "b/z", SM: "90"},
	}
	for _, c := range []struct {
		terminal bool
		want     string
	}{
		{false, "4 of 5 links: a: 4 run, 1 failed\n5 of 5 links: b: 1 run, 0 failed\n"},
		{true, clearLine + "2 of 5 links, 0 failed: a/x sm_80" + clearLine + "4 of 5 links, 1 failed: a/y sm_80" + clearLine + "5 of 5 links, 1 failed: b/z sm_90" + clearLine},
	} {
		var status, lines strings.Builder
		p := newProgress(&status, newFailures(&lines, &lines, false))
		p.terminal = c.terminal
		for _, s := range steps {
			p.step(s)
		}
		p.end()
		if status.String() != c.want {
			t.Errorf("terminal %v: %q, want %q", c.terminal, status.String(), c.want)
		}
		if want := "FAIL a/y sm_80 step 1: exit exit: want 0, got 1\nFAIL a/y sm_80 step 1: exit exit: want 0, got 1\n"; lines.String() != want {
			t.Errorf("failures %q, want %q", lines.String(), want)
		}
	}
}

// On a terminal, failures appear between the table and the first causes (CONF-013).
func TestFailuresBelowTheTable(t *testing.T) {
	v := judge.Verdict{Case: "a/y", SM: "80", Step: 1, Facet: judge.FacetExit, Differences: []judge.Difference{{Facet: judge.FacetExit, Key: "exit", Want: "0", Got: "1"}}}
	var f reportFlags
	newFailures(&f.failures, &f.failures, false).add(v)
	var out strings.Builder
	if _, err := f.write(&report.Report{Facets: []judge.Facet{judge.FacetExit}, Verdicts: []judge.Verdict{v}}, nil, &out); err != nil {
		t.Fatal(err)
	}
	at := -1
	for _, part := range []string{"area  cases", "\nFAIL a/y sm_80", "\nfirst causes of the link that fails", "\nFAIL: "} {
		i := strings.Index(out.String(), part)
		if i <= at {
			t.Errorf("%q is not in its place in\n%s", part, &out)
		}
		at = i
	}
}

// Three lines of each kind are printed, and all lines with -v (CONF-013).
func TestFailuresOfAKind(t *testing.T) {
	for _, all := range []bool{false, true} {
		var lines strings.Builder
		f := newFailures(&lines, &lines, all)
		for _, got := range []string{"1", "1", "2", "1", "1", "1"} {
			f.add(judge.Verdict{Case: "a/y", SM: "80", Step: 1, Facet: judge.FacetExit, Differences: []judge.Difference{{Facet: judge.FacetExit, Key: "exit", Want: "0", Got: got}}})
		}
		f.add(judge.Verdict{Case: "a/z", SM: "80", Step: 1, Facet: judge.FacetExit}) // passes
		f.end()
		printed, more := strings.Count(lines.String(), "FAIL "), strings.Contains(lines.String(), "and 2 more failures of these kinds; -v prints all\n")
		if want := map[bool]int{false: 4, true: 6}[all]; printed != want || more == all {
			t.Errorf("all %v: %q", all, lines.String())
		}
	}
}
