package plan

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/culink/culink/conformance/judge"
	"github.com/culink/culink/conformance/suite"
)

// A run seldom needs the whole corpus: a selection names cases, targets, facets
// and a share of the links; skips name what is known to fail.

// A Selection says which part of a corpus is run. Empty fields select all.
type Selection struct {
	Platform string   // of the cases; empty: Linux
	Cases    []string // globs over "area/name/sm_80", "area/name", "area"; one must match
	Targets  []string
	Facets   []judge.Facet
	// Only names the cases on a target that may be run, "area/name/sm_80"; nil: all.
	Only  map[string]bool
	Skips []Skip
	Shard Shard
}

// Selects reports whether a case on a target belongs to the selection, whatever
// the shard.
func (s Selection) Selects(c *suite.Case, sm string) bool {
	if len(s.Targets) > 0 && !slices.Contains(s.Targets, sm) {
		return false
	}
	if s.Only != nil && !s.Only[c.ID()+"/sm_"+sm] {
		return false
	}
	return len(s.Cases) == 0 || slices.ContainsFunc(s.Cases, func(glob string) bool { return matchCase(glob, c.ID(), sm) })
}

// JudgedFacets are the facets that the selection judges.
func (s Selection) JudgedFacets() []judge.Facet {
	if len(s.Facets) == 0 {
		return judge.Facets
	}
	return s.Facets
}

// A unit is the part of a corpus that runs alone: a case on a target.
type Unit struct {
	Case *suite.Case
	SM   string
}

// Units lists what the selection runs of these cases, in their order.
func (s Selection) Units(cases []*suite.Case) []Unit {
	return s.UnitsOn(cases, func(c *suite.Case) []string { return c.Targets })
}

// UnitsOn is units where each case has other targets.
func (s Selection) UnitsOn(cases []*suite.Case, targets func(*suite.Case) []string) []Unit {
	var out []Unit
	n := 0
	for _, c := range cases {
		for _, sm := range targets(c) {
			if !s.Selects(c, sm) {
				continue
			}
			if s.Shard.has(n) {
				out = append(out, Unit{c, sm})
			}
			n++
		}
	}
	return out
}

// CheckGlob tells what is wrong with a glob over cases.
func CheckGlob(glob string) error {
	if _, err := path.Match(glob, ""); err != nil || glob == "" {
		return fmt.Errorf("bad pattern %q", glob)
	}
	return nil
}

// matchCase matches a glob over "area/name/sm_80", "area/name" or "area".
func matchCase(glob, caseID, sm string) bool {
	area, _, _ := strings.Cut(caseID, "/")
	for _, name := range []string{area, caseID, caseID + "/sm_" + sm} {
		if ok, err := path.Match(glob, name); err == nil && ok {
			return true
		}
	}
	return false
}
