package judge

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/culink/culink/conformance/attempt"
)

// A Verdict is the answer to one facet of one step.
type Verdict struct {
	Case        string        `json:"case"` // "area/name"
	SM          string        `json:"sm"`
	Step        int           `json:"step"` // from 1
	Facet       Facet         `json:"facet"`
	Class       attempt.Class `json:"class,omitempty"`       // how the linker ended
	Differences []Difference  `json:"differences,omitempty"` // not waived
	More        int           `json:"more,omitempty"`        // differences beside those, of which only the number is kept
	Waived      int           `json:"waived,omitempty"`      // differences that a waiver excuses
	Skip        string        `json:"skip,omitempty"`        // the skip that names it
	// Follows: what is wanted is what an earlier release did, with the notes of this one.
	Follows bool `json:"follows,omitempty"`
}

// Pass reports whether nothing but waived differences was found. What is skipped
// passes.
func (v Verdict) Pass() bool { return v.Skip != "" || len(v.Differences) == 0 }

// Judged reports whether the verdict is one about the linker: no skip names it.
func (v Verdict) Judged() bool { return v.Skip == "" }

// Area is the first part of the case's name.
func (v Verdict) Area() string { return path.Dir(v.Case) }

// Name names the verdict: "basic/two-files sm_80 step 1 bytes".
func (v Verdict) Name() string { return fmt.Sprintf("%s %s", v.Link(), v.Facet) }

// Link names the link that was judged.
func (v Verdict) Link() string { return fmt.Sprintf("%s sm_%s step %d", v.Case, v.SM, v.Step) }

// Order orders verdicts as the corpus has them.
func Order(a, b Verdict) int {
	return cmp.Or(
		cmp.Compare(a.Area(), b.Area()),
		cmp.Compare(a.Case, b.Case),
		cmp.Compare(len(strings.TrimRight(a.SM, "af")), len(strings.TrimRight(b.SM, "af"))), // 90a before 100
		cmp.Compare(a.SM, b.SM),
		cmp.Compare(a.Step, b.Step),
		cmp.Compare(slices.Index(AllFacets, a.Facet), slices.Index(AllFacets, b.Facet)))
}
