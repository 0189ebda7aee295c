// Package report shows the verdicts of a run: as a table, as a conclusion in one sentence, as groups by first cause, and
// in forms for other programs. It also limits how many differences of a run are kept.
package report

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/culink/culink/conformance/attempt"
	"github.com/culink/culink/conformance/codematch"
	"github.com/culink/culink/conformance/commandline"
	"github.com/culink/culink/conformance/confine"
	"github.com/culink/culink/conformance/judge"
	"github.com/culink/culink/conformance/plan"
	"github.com/culink/culink/linker/show"
)

// A Report is the result of a run: a verdict for each link and facet.
type Report struct {
	Toolkit string `json:"toolkit"`          // release of the recorded nvlink
	Linker  string `json:"linker,omitempty"` // command of the linker; empty for the culink in cuconform
	// Library reports whether Linker is a libnvJitLink, whose facets are those of package library.
	Library bool   `json:"library,omitempty"`
	Waivers string `json:"waivers,omitempty"` // name of the list of waivers
	Shard   string `json:"shard,omitempty"`
	// Confinement describes how the linker was confined (package confine).
	Confinement string          `json:"confinement,omitempty"`
	Facets      []judge.Facet   `json:"facets"`
	Verdicts    []judge.Verdict `json:"verdicts"`
	// Left lists files of links that could not be removed, with the reasons.
	Left []string `json:"left,omitempty"`
	// NotRun counts the links that were omitted after too many failures.
	NotRun int `json:"not_run,omitempty"`
	// Functions counts the functions of all files for sm_100 and later.
	Functions codematch.Count `json:"functions,omitzero"`
	// Times holds the durations of the links, or nil if they were not measured. They differ from run to run, so the report
	// file omits them.
	Times *Times `json:"-"`
	// Unused lists waivers that were not needed in the links that ran. These may be only a part of the links that a waiver
	// names.
	Unused []plan.Waiver `json:"-"`
	// StaleWaivers lists waivers that were not needed although all links that they name were judged.
	StaleWaivers []plan.StaleWaiver `json:"stale_waivers,omitempty"`
	// Stale lists skips that were not needed, if skipped cases were run.
	Stale []plan.StaleSkip `json:"stale,omitempty"`
}

// NotHeld returns the part of Confinement about restrictions that did not work, or "" if all worked.
func (r *Report) NotHeld() string {
	_, open, _ := strings.Cut(r.Confinement, confine.NotHeld+": ")
	return open
}

// Failed counts the verdicts that did not pass.
func (r *Report) Failed() int {
	n := 0
	for _, v := range r.Verdicts {
		if !v.Pass() {
			n++
		}
	}
	return n
}

// Links counts the links with a verdict, skipped or not.
func (r *Report) Links() int { return CountLinks(r.Verdicts, func(judge.Verdict) bool { return true }) }

// CountLinks returns the number of links with a verdict for which counts returns true.
func CountLinks(verdicts []judge.Verdict, counts func(judge.Verdict) bool) int {
	links := map[string]bool{}
	for _, v := range verdicts {
		if counts(v) {
			links[v.Link()] = true
		}
	}
	return len(links)
}

// FailedLinks returns the names of the links with a failing facet, in their order.
func (r *Report) FailedLinks() []string { return FailedLinks(r.Verdicts) }

// FailedLinks returns the names of the links with a failing verdict, in their order.
func FailedLinks(verdicts []judge.Verdict) (links []string) {
	for _, v := range verdicts {
		if !v.Pass() && (len(links) == 0 || links[len(links)-1] != v.Link()) {
			links = append(links, v.Link())
		}
	}
	return links
}

// FailedCases returns the cases and targets with a failing link, in the form of [plan.Selection].Only.
func (r *Report) FailedCases() map[string]bool {
	failed := map[string]bool{}
	for _, v := range r.Verdicts {
		if !v.Pass() {
			failed[v.Case+"/sm_"+v.SM] = true
		}
	}
	return failed
}

// WriteFailure writes one line for a failing verdict, with its first difference. If all is set, it writes every
// difference below the line.
func WriteFailure(w io.Writer, v judge.Verdict, all bool) error {
	if all {
		_, err := fmt.Fprintf(w, "FAIL %s\n%s", show.Line(v.Link()), differenceLines(v, "  "))
		return err
	}
	more := ""
	if n := len(v.Differences) - 1 + v.More; n > 0 {
		more = fmt.Sprintf(" (and %d more)", n)
	}
	_, err := fmt.Fprintf(w, "FAIL %s%s\n", show.Line(v.Link()+": "+v.Differences[0].String()), more)
	return err
}

// WriteSummary writes what the table does not show: links that crashed or were stopped, links that were not run, times,
// and skips and waivers that are not needed.
func (r *Report) WriteSummary(w io.Writer) error {
	links := map[attempt.Class]map[string]bool{}
	for _, v := range r.Verdicts {
		if links[v.Class] == nil {
			links[v.Class] = map[string]bool{}
		}
		links[v.Class][v.Link()] = true
	}
	for _, class := range attempt.Classes {
		if n := len(links[class]); n > 0 {
			if _, err := fmt.Fprintf(w, "%s: %s\n", class, commandline.Count(n, "link")); err != nil {
				return err
			}
		}
	}
	if n := len(r.following()); n > 0 {
		if _, err := fmt.Fprintf(w, "by what nvlink %s did: %s; by what an earlier release did, with other notes: %s\n",
			r.Toolkit, commandline.Count(r.Links()-n, "link"), commandline.Count(n, "link")); err != nil {
			return err
		}
	}
	if r.Times != nil {
		if err := r.Times.write(w); err != nil {
			return err
		}
	}
	if r.NotRun > 0 {
		if _, err := fmt.Fprintf(w, "not run, after enough failures: %s\n", commandline.Count(r.NotRun, "link")); err != nil {
			return err
		}
	}
	for _, line := range r.Left {
		if _, err := fmt.Fprintf(w, "not removed: %s\n", show.Line(line)); err != nil {
			return err
		}
	}
	var stale []string
	for _, s := range r.Stale {
		stale = append(stale, fmt.Sprintf("STALE -skip '%s': %s", s.Skip, s.Why))
	}
	for _, s := range r.StaleWaivers {
		stale = append(stale, fmt.Sprintf("STALE waiver '%s': %s", s.Waiver, s.Why))
	}
	for _, line := range stale {
		if _, err := fmt.Fprintln(w, show.Line(line)); err != nil {
			return err
		}
	}
	return nil
}

// following returns the links whose wanted outcome is derived from that of an earlier release.
func (r *Report) following() map[string]bool {
	links := map[string]bool{}
	for _, v := range r.Verdicts {
		if v.Follows {
			links[v.Link()] = true
		}
	}
	return links
}

// A cell of the table counts the verdicts of one facet.
type cell struct{ pass, waived, skipped, all int }

func (c *cell) String() string {
	if c == nil {
		return "-"
	}
	var notes []string
	if c.waived > 0 {
		notes = append(notes, fmt.Sprintf("%d waived", c.waived))
	}
	if c.skipped > 0 {
		notes = append(notes, fmt.Sprintf("%d skipped", c.skipped))
	}
	s := fmt.Sprintf("%d/%d", c.pass, c.all)
	if notes != nil {
		s += " (" + strings.Join(notes, ", ") + ")"
	}
	return s
}

// WriteTable writes a line for each area and a column for each judged facet. A cell has the number of links that pass
// and the number judged, how many pass because of a waiver, and how many were skipped. Skipped links do not count as
// judged.
func (r *Report) WriteTable(w io.Writer) error {
	const total = "all"
	cells := map[string]map[judge.Facet]*cell{total: {}}
	cases := map[string]map[string]bool{total: {}}
	var areas []string
	for _, v := range r.Verdicts {
		area := v.Area()
		if cells[area] == nil {
			areas = append(areas, area)
			cells[area] = map[judge.Facet]*cell{}
			cases[area] = map[string]bool{}
		}
		for _, row := range []string{area, total} {
			cases[row][v.Case] = true
			c := cells[row][v.Facet]
			if c == nil {
				c = &cell{}
				cells[row][v.Facet] = c
			}
			switch {
			case v.Skip != "":
				c.skipped++
				continue
			case v.Pass():
				c.pass++
				if v.Waived > 0 {
					c.waived++
				}
			}
			c.all++
		}
	}
	if r.Confinement != "" {
		if _, err := fmt.Fprintf(w, "confinement: %s\n", show.Line(r.Confinement)); err != nil {
			return err
		}
	}
	tw := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	fmt.Fprint(tw, "area\tcases")
	for _, f := range r.Facets {
		fmt.Fprintf(tw, "\t%s", f)
	}
	fmt.Fprintln(tw)
	for _, row := range append(areas, total) {
		fmt.Fprintf(tw, "%s\t%d", show.Line(row), len(cases[row]))
		for _, f := range r.Facets {
			fmt.Fprintf(tw, "\t%s", cells[row][f])
		}
		fmt.Fprintln(tw)
	}
	if err := tw.Flush(); err != nil || r.Functions == (codematch.Count{}) {
		return err
	}
	_, err := fmt.Fprintf(w, "files for sm_100 and later: %s\n", r.Functions)
	return err
}
