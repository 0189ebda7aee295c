package library

import (
	"fmt"
	"slices"
	"testing"

	"github.com/culink/culink/conformance/attempt"
	"github.com/culink/culink/conformance/judge"
)

// The stored form of a report has a verdict for each case and each facet of its answers (CONF-086).
func TestLinking(t *testing.T) {
	c := func(name string, want Answer) *Case {
		return &Case{File: "links.txt", Name: name, Calls: []Call{{Words: []string{"complete"}, Want: want}}}
	}
	r := &Report{Verdicts: []Verdict{
		{Case: c("basic/one/sm_80", Answer{FacetResult: "0", FacetImage: "a"})},
		{Case: c("two", Answer{FacetResult: "0"}), Differences: []Difference{{"two: complete", FacetResult, "0", crash}, {"two: complete", FacetErrors, "nothing", "b"}}},
		{Case: c("three", Answer{FacetResult: "0", FacetBytes: "a"}), Waived: true},
		{Case: c("four", Answer{FacetResult: "0"}), NotRun: []Need{NeedsPTXAS}},
	}}
	made := r.Linking("./lib.so", "13.5.37", "some.txt")
	var got []string
	for _, v := range made.Verdicts {
		got = append(got, fmt.Sprintf("%s %s %v %d %q %s", v.Case, v.Facet, v.Differences, v.Waived, v.Skip, v.Class))
	}
	want := []string{
		`links/basic one sm_80 result [] 0 "" `, `links/basic one sm_80 image [] 0 "" `,
		`links/two result [result links/two:complete: want 0, got crash] 0 "" crash`, `links/two errors [errors links/two:complete: want nothing, got b] 0 "" `,
		`links/three result [] 0 "" `, `links/three bytes [] 1 "" `,
		`links/four result [] 0 "what needs ptxas" `,
	}
	if !slices.Equal(got, want) {
		t.Errorf("verdicts %q", got)
	}
	if made.Verdicts[2].Class != attempt.ClassCrash || made.Verdicts[0].Area() != "links" || !made.Library || made.Linker != "./lib.so" {
		t.Errorf("report %+v", made)
	}
	if failed := made.FailedLinks(); len(failed) != 1 || made.JudgedLinks() != 3 {
		t.Errorf("%d judged, failed %q", made.JudgedLinks(), failed)
	}
	if !slices.Equal(made.Facets[:2], []judge.Facet{"result", "errors"}) {
		t.Errorf("facets %v", made.Facets)
	}
}
