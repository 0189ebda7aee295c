package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/culink/culink/conformance/commandline"
	"github.com/culink/culink/conformance/judge"
)

// A conclusion names the judged facets and counts skipped and waived verdicts. A run that judged nothing has no
// conclusion about the linker.

// A Standing is the overall result of a report.
type Standing int

// The standings.
const (
	Conforms      Standing = iota // every verdict passes, and every skip and waiver is needed
	Fails                         // a verdict fails, or a skip or a waiver is stale
	NothingJudged                 // there is no verdict
)

// Standing returns the overall result of the report.
func (r *Report) Standing() Standing {
	switch {
	case r.Failed() > 0 || len(r.Stale) > 0 || len(r.StaleWaivers) > 0:
		return Fails
	case len(r.judgedFacets()) == 0:
		return NothingJudged
	}
	return Conforms
}

// OK reports whether something was judged, everything passed, and every skip and waiver is needed.
func (r *Report) OK() bool { return r.Standing() == Conforms }

// judgedFacets returns the facets with a verdict that is not skipped, in their order.
func (r *Report) judgedFacets() []judge.Facet {
	var judged []judge.Facet
	for _, f := range r.Facets {
		if slices.ContainsFunc(r.Verdicts, func(v judge.Verdict) bool { return v.Facet == f && v.Judged() }) {
			judged = append(judged, f)
		}
	}
	return judged
}

// JudgedLinks counts the links with a verdict that is not skipped.
func (r *Report) JudgedLinks() int { return CountLinks(r.Verdicts, judge.Verdict.Judged) }

// Conclusion returns a sentence with the judged facets and the result:
//
//	conforming to nvlink 13.0.88 in exit, file: 12 links; 3 verdicts skipped, 1 waived; not judged: sound
func (r *Report) Conclusion() string {
	facets := r.judgedFacets()
	var text string
	failed := len(r.FailedLinks())
	switch links := r.JudgedLinks(); {
	case failed > 0:
		text = fmt.Sprintf("differing from %s: %d of %s", r.reference(), failed, commandline.Count(links, "link"))
	case len(r.Stale) > 0:
		text = commandline.Count(len(r.Stale), "skip") + " that nothing needs"
	case len(r.StaleWaivers) > 0:
		text = commandline.Count(len(r.StaleWaivers), "waiver") + " that nothing needs"
	case len(facets) == 0:
		text = "no verdict about the linker"
	default:
		text = fmt.Sprintf("conforming to %s in %s: %s", r.reference(), facetList(facets), commandline.Count(links, "link"))
	}
	return text + r.leftOut(facets)
}

// reference names the real linker whose outcomes are wanted.
func (r *Report) reference() string {
	if r.Library {
		return "libnvJitLink " + r.Toolkit
	}
	return "nvlink " + r.Toolkit
}

// leftOut describes what the conclusion does not cover: skipped verdicts, verdicts that pass because of a waiver, and
// facets without a verdict.
func (r *Report) leftOut(judged []judge.Facet) string {
	var skipped, waived int
	for _, v := range r.Verdicts {
		if !v.Judged() {
			skipped++
		} else if v.Waived > 0 && v.Pass() {
			waived++
		}
	}
	var counts []string
	if skipped > 0 {
		counts = append(counts, commandline.Count(skipped, "verdict")+" skipped")
	}
	if waived > 0 {
		counts = append(counts, commandline.Count(waived, "verdict")+" waived")
	}
	var text string
	if counts != nil {
		text = "; " + strings.Join(counts, ", ")
	}
	missing := slices.DeleteFunc(slices.Clone(r.Facets), func(f judge.Facet) bool { return slices.Contains(judged, f) })
	if len(missing) > 0 {
		text += "; not judged: " + facetList(missing)
	}
	return text
}

// facetList joins the names of facets.
func facetList(facets []judge.Facet) string {
	names := make([]string, len(facets))
	for i, f := range facets {
		names[i] = string(f)
	}
	return strings.Join(names, ", ")
}
