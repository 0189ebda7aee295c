package plan

import (
	"fmt"
	"slices"
	"strings"

	"github.com/culink/culink/conformance/judge"
	"github.com/culink/culink/conformance/suite"
)

// With skips, the checks of an unfinished linker can pass: the skips cover its current failures. When a failure is
// fixed, its skip is reported, so the list only becomes shorter.

// A Skip excludes verdicts from judging. It has the form GLOB or GLOB:FACET. In contrast, a [Waiver] accepts one known
// difference, and other differences still fail.
type Skip struct {
	Glob  string      // over "area/name/sm_80", "area/name", "area"
	Facet judge.Facet // empty: all
}

// ParseSkip reads GLOB or GLOB:FACET.
func ParseSkip(text string) (Skip, error) {
	glob, facet, one := strings.Cut(text, ":")
	if one && !slices.Contains(judge.AllFacets, judge.Facet(facet)) {
		return Skip{}, fmt.Errorf("skip %q: unknown facet %q", text, facet)
	}
	if err := CheckGlob(glob); err != nil {
		return Skip{}, fmt.Errorf("skip %q: %w", text, err)
	}
	return Skip{glob, judge.Facet(facet)}, nil
}

func (s Skip) String() string {
	if s.Facet == "" {
		return s.Glob
	}
	return s.Glob + ":" + string(s.Facet)
}

func (s Skip) names(caseID, sm string, f judge.Facet) bool {
	return (s.Facet == "" || s.Facet == f) && matchCase(s.Glob, caseID, sm)
}

// Skip returns the first skip that covers a facet of a case on a target.
func (s Selection) Skip(caseID, sm string, f judge.Facet) (Skip, bool) {
	for _, skip := range s.Skips {
		if skip.names(caseID, sm, f) {
			return skip, true
		}
	}
	return Skip{}, false
}

// A StaleSkip is a skip, or a part of one, that is not needed.
type StaleSkip struct {
	Skip string `json:"skip"`
	Why  string `json:"why"`
}

// StaleSkips returns the skips that match no case, and the skipped verdicts that pass. verdicts must come from a run
// with [conformance.Options].RunSkipped.
func (s Selection) StaleSkips(cases []*suite.Case, verdicts []judge.Verdict) []StaleSkip {
	var out []StaleSkip
	for _, skip := range s.Skips {
		named := slices.ContainsFunc(cases, func(c *suite.Case) bool {
			return slices.ContainsFunc(c.Targets, func(sm string) bool { return matchCase(skip.Glob, c.ID(), sm) })
		})
		if !named {
			out = append(out, StaleSkip{skip.String(), "names no case"})
		}
	}
	// A place is a case on a target, or one facet of it, that a skip covers. If one of its steps fails, the skip is needed.
	type place struct{ skip, name string }
	var order []place
	fails := map[place]bool{}
	for _, v := range verdicts {
		if v.Skip == "" {
			continue
		}
		name := v.Case + " sm_" + v.SM
		if strings.Contains(v.Skip, ":") {
			name += " " + string(v.Facet)
		}
		p := place{v.Skip, name}
		if _, seen := fails[p]; !seen {
			order = append(order, p)
		}
		fails[p] = fails[p] || len(v.Differences) > 0
	}
	for _, p := range order {
		if !fails[p] {
			out = append(out, StaleSkip{p.skip, p.name + " passes"})
		}
	}
	return out
}
