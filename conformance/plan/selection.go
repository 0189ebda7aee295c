// Package plan determines which part of the corpus runs, and which failures are accepted. A [Selection] selects cases,
// targets, facets and a [Shard]. A [Skip] excludes verdicts from judging. A [Waiver] accepts a known difference.
package plan

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/culink/culink/conformance/judge"
	"github.com/culink/culink/conformance/suite"
)

// A Selection is the part of a corpus that is run. An empty field selects everything.
type Selection struct {
	Platform string   // platform of the cases; empty for Linux
	Cases    []string // globs over "area/name/sm_80", "area/name", "area"; one must match
	Targets  []string
	Facets   []judge.Facet
	// Only lists the cases and targets that may be run, in the form "area/name/sm_80". If it is nil, all may.
	Only  map[string]bool
	Skips []Skip
	Shard Shard
}

// Selects reports whether a case on a target belongs to the selection. It ignores shards.
func (s Selection) Selects(c *suite.Case, sm string) bool {
	if len(s.Targets) > 0 && !slices.Contains(s.Targets, sm) {
		return false
	}
	if s.Only != nil && !s.Only[c.ID()+"/sm_"+sm] {
		return false
	}
	return len(s.Cases) == 0 || slices.ContainsFunc(s.Cases, func(glob string) bool { return matchCase(glob, c.ID(), sm) })
}

// JudgedFacets returns the facets of the selection.
func (s Selection) JudgedFacets() []judge.Facet {
	if len(s.Facets) == 0 {
		return judge.Facets
	}
	return s.Facets
}

// A Unit is the smallest part of a corpus that is run separately: a case on a target.
type Unit struct {
	Case *suite.Case
	SM   string
}

// Units returns the units of these cases that the selection contains, in order.
func (s Selection) Units(cases []*suite.Case) []Unit {
	return s.UnitsOn(cases, func(c *suite.Case) []string { return c.Targets })
}

// UnitsOn does the same as [Selection.Units], with a function that returns the targets of each case.
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

// CheckGlob rejects a pattern for cases that is malformed or empty.
func CheckGlob(glob string) error {
	if _, err := path.Match(glob, ""); err != nil || glob == "" {
		return fmt.Errorf("bad pattern %q", glob)
	}
	return nil
}

// matchCase matches a pattern against "area/name/sm_80", "area/name" and "area".
func matchCase(glob, caseID, sm string) bool {
	area, _, _ := strings.Cut(caseID, "/")
	for _, name := range []string{area, caseID, caseID + "/sm_" + sm} {
		if ok, err := path.Match(glob, name); err == nil && ok {
			return true
		}
	}
	return false
}
