package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/culink/culink/conformance/attempt"
	"github.com/culink/culink/conformance/judge"
	"github.com/culink/culink/conformance/late"
)

// A new linker often fails in many links for few reasons. The first cause of a failing link is its first difference on
// the coarsest facet that fails. Finer facets usually fail for the same reason. Links with the same first cause form a
// group. For some groups the remedy is known.

// A CauseGroup holds the failing links with one first cause.
type CauseGroup struct {
	Facet judge.Facet
	What  string // the difference, without numbers and names
	Cause judge.Cause
	Links int
	First judge.Verdict // first failing verdict of the first link
	// Got is the value that was found instead of the wanted one, if it is the same in all links.
	Got string
}

// A causeKey identifies a group.
type causeKey struct {
	facet judge.Facet
	what  string
	cause judge.Cause
}

// causeOf returns the key of a failing verdict.
func causeOf(v judge.Verdict) causeKey {
	return causeKey{v.Facet, kindOf(v, v.Differences[0]), v.Differences[0].Cause}
}

// Kind returns the facet and the kind of the first difference of a failing verdict, as text.
func Kind(v judge.Verdict) string { return string(v.Facet) + ": " + kindOf(v, v.Differences[0]) }

// GroupOf returns the index of the group that a link belongs to, or -1. v is the link's first failing verdict.
func GroupOf(groups []CauseGroup, v judge.Verdict) int {
	k := causeOf(v)
	return slices.IndexFunc(groups, func(g CauseGroup) bool { return causeKey{g.Facet, g.What, g.Cause} == k })
}

// FirstCauses returns the groups of failing links, the largest group first.
func (r *Report) FirstCauses() []CauseGroup {
	groups := map[causeKey]*CauseGroup{}
	last := ""
	for _, v := range r.Verdicts {
		if v.Pass() || v.Link() == last {
			continue
		}
		last = v.Link()
		d := v.Differences[0]
		k := causeOf(v)
		g := groups[k]
		if g == nil {
			g = &CauseGroup{Facet: k.facet, What: k.what, Cause: k.cause, First: v, Got: d.Got}
			groups[k] = g
		}
		if g.Got != d.Got {
			g.Got = ""
		}
		g.Links++
	}
	all := make([]CauseGroup, 0, len(groups))
	for _, g := range groups {
		all = append(all, *g)
	}
	slices.SortFunc(all, func(a, b CauseGroup) int {
		return cmp.Or(cmp.Compare(b.Links, a.Links), judge.Order(a.First, b.First))
	})
	return all
}

var (
	anyNumber = late.Regexp(`\b(0x[0-9a-f]+|[0-9]+)\b|\bsm_[0-9]+[af]?\b`)
	anyName   = late.Regexp(`\B'[^']*'`) // not the apostrophe of "doesn't"
	// perFunction are sections of which each function has one: ".text.k".
	perFunction = late.Regexp(`^(section\.(?:text|nv\.info|nv\.shared|nv\.constant[0-9]+|rela?\.text|nv\.capmerc\.text))\.[^.]+`)
)

// classWords describes the outcomes of linkers that crash, hang, or print without end.
var classWords = map[attempt.Class]string{attempt.ClassCrash: "the linker crashes", attempt.ClassHang: "the linker does not end", attempt.ClassFlood: "the linker prints without end"}

// kindOf returns the kind of a difference in words.
func kindOf(v judge.Verdict, d judge.Difference) string {
	switch {
	case v.Class != attempt.ClassEnd:
		return classWords[v.Class]
	case v.Facet == judge.FacetExit, v.Facet == judge.FacetFile:
		return ofFiles(v.Facet, d)
	case v.Facet == judge.FacetMessages:
		plain := func(s string) string {
			return anyNumber().ReplaceAllString(anyName().ReplaceAllString(s, "'...'"), "N")
		}
		return ofMessages(plain(d.Want), plain(d.Got))
	case v.Facet == judge.FacetBytes:
		return ofBytes(d)
	}
	if says := inWords(v.Facet, d); says != "" {
		return says
	}
	// The key has the form "out.cubin:section.text.k.bytes". The kind omits the file.
	if _, place, ok := strings.Cut(d.Key, ":"); ok {
		return perFunction().ReplaceAllString(place, "$1.*")
	}
	return ofFiles(judge.FacetFile, d)
}

// Hint returns a remedy if there is one group and its remedy is known, and otherwise "".
func (r *Report) Hint(groups []CauseGroup) string {
	if len(groups) != 1 {
		return ""
	}
	g := groups[0]
	switch {
	case g.Cause == judge.CauseToolName:
		return "only the tool's name in the note differs: install it as nvlink"
	case g.Cause == judge.CauseToolNote:
		return "only the tool note differs: nvlink's holds its name, release, build, and the options of the link"
	case g.First.Class == attempt.ClassHang:
		return "no link ends in the time of -timeout: does it wait for input?"
	case g.First.Class == attempt.ClassCrash:
		return "it crashes each time: run one link by hand, with the arguments of its .argv file"
	case g.Facet == judge.FacetExit && (g.Got == "126" || g.Got == "127"):
		return "exit status " + g.Got + " is that of a shell that cannot start a program: the command of -linker does not start the linker, or -read has to name what it reads"
	case g.Facet == judge.FacetFile && g.First.Differences[0].Got == "not written":
		return "it ends well and writes nothing: does it take -o FILE?"
	case g.Facet == judge.FacetMessages && g.First.Differences[0].Want == "nothing" && g.Got != "":
		return "it prints " + g.Got + " where nvlink says nothing"
	case g.Facet == judge.FacetBytes:
		return "the contents agree, and how the file is packed does not: offsets, padding, or the order of strings"
	}
	return ""
}

// A Change describes a verdict compared with an older report.
type Change string

// The changes.
const (
	ChangeNew   Change = "new"   // fails, and did not before
	ChangeFixed Change = "fixed" // failed before
	ChangeStill Change = "still" // fails as before
)

// Since compares each verdict with an older report. It returns the changes by name. It omits verdicts that pass in both
// reports and verdicts that only the older report has.
func (r *Report) Since(old *Report) map[string]Change {
	failed := map[string]bool{}
	for _, v := range old.Verdicts {
		if !v.Pass() {
			failed[v.Name()] = true
		}
	}
	changes := map[string]Change{}
	for _, v := range r.Verdicts {
		switch name := v.Name(); {
		case !v.Pass() && failed[name]:
			changes[name] = ChangeStill
		case !v.Pass():
			changes[name] = ChangeNew
		case failed[name] && v.Skip == "":
			changes[name] = ChangeFixed
		}
	}
	return changes
}

// CountChanges returns the numbers of changes as text: "2 new, 5 fixed, 10 still failing".
func CountChanges(changes map[string]Change) string {
	n := map[Change]int{}
	for c := range maps.Values(changes) {
		n[c]++
	}
	return fmt.Sprintf("%d new, %d fixed, %d still failing", n[ChangeNew], n[ChangeFixed], n[ChangeStill])
}
