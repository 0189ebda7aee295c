package judge

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/culink/culink/conformance/attempt"
)

// A Verdict is the result of judging one facet of one step.
type Verdict struct {
	Case        string        `json:"case"` // "area/name"
	SM          string        `json:"sm"`
	Step        int           `json:"step"` // from 1
	Facet       Facet         `json:"facet"`
	Class       attempt.Class `json:"class,omitempty"`       // the way in which the linker ended
	Differences []Difference  `json:"differences,omitempty"` // not waived
	More        int           `json:"more,omitempty"`        // number of differences that are not listed
	Waived      int           `json:"waived,omitempty"`      // differences that waivers excuse
	Skip        string        `json:"skip,omitempty"`        // the skip that covers it; empty for none
	// Follows reports whether the wanted outcome is derived from that of an earlier release.
	Follows bool `json:"follows,omitempty"`
}

// Pass reports whether no difference remains after waivers. A skipped verdict passes.
func (v Verdict) Pass() bool { return v.Skip != "" || len(v.Differences) == 0 }

// Judged reports whether no skip covers the verdict.
func (v Verdict) Judged() bool { return v.Skip == "" }

// Area returns the first part of the name of the case.
func (v Verdict) Area() string { return path.Dir(v.Case) }

// Name returns the name of the verdict, such as "basic/two-files sm_80 step 1 bytes".
func (v Verdict) Name() string { return fmt.Sprintf("%s %s", v.Link(), v.Facet) }

// Link returns the name of the judged link, such as "basic/two-files sm_80 step 1".
func (v Verdict) Link() string { return fmt.Sprintf("%s sm_%s step %d", v.Case, v.SM, v.Step) }

// Order compares two verdicts by the order of the corpus.
func Order(a, b Verdict) int {
	return cmp.Or(
		cmp.Compare(a.Area(), b.Area()),
		cmp.Compare(a.Case, b.Case),
		cmp.Compare(len(strings.TrimRight(a.SM, "af")), len(strings.TrimRight(b.SM, "af"))), // 90a before 100
		cmp.Compare(a.SM, b.SM),
		cmp.Compare(a.Step, b.Step),
		cmp.Compare(slices.Index(AllFacets, a.Facet), slices.Index(AllFacets, b.Facet)))
}
