package main

import (
	"strings"
	"testing"

	"github.com/culink/culink/conformance"
)

// On a terminal one line changes in place and failures stand above it; elsewhere
// there is a line for each area.
func TestProgress(t *testing.T) {
	failed := conformance.Verdict{Case: "a/y", SM: "80", Step: 1, Facet: conformance.FacetExit, Differences: []conformance.Difference{
		{Facet: conformance.FacetExit, Key: "exit", Want: "0", Got: "1"},
	}}
	steps := []conformance.Progress{
		{Done: 1, All: 3, Case: "a/x", SM: "80"},
		{Done: 2, All: 3, Case: "a/y", SM: "80", Verdicts: []conformance.Verdict{failed}},
		{Done: 3, All: 3, Case: "b/z", SM: "90"},
	}
	for _, c := range []struct {
		terminal bool
		want     string
	}{
		{false, "2 of 3: a: 2 run, 1 failed\n3 of 3: b: 1 run, 0 failed\n"},
		{true, clearLine + "1 of 3, 0 failed: a/x sm_80" + clearLine + "2 of 3, 1 failed: a/y sm_80" + clearLine + "3 of 3, 1 failed: b/z sm_90" + clearLine},
	} {
		var status, lines strings.Builder
		p := newProgress(&status, &lines, false)
		p.terminal = c.terminal
		for _, s := range steps {
			p.step(s)
		}
		p.end()
		if status.String() != c.want {
			t.Errorf("terminal %v: %q, want %q", c.terminal, status.String(), c.want)
		}
		if want := "FAIL a/y sm_80 step 1: exit exit: want 0, got 1\n"; lines.String() != want {
			t.Errorf("failures %q, want %q", lines.String(), want)
		}
	}
}
