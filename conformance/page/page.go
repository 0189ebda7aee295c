// Package page writes the report of a run as one HTML file. The page shows the areas and facets that pass, the first
// causes of failures, and every failing link with its differences and its rules. The file contains its style, script and
// data, and needs no network.
package page

import (
	"cmp"
	_ "embed"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"strings"
	"sync"

	"github.com/culink/culink/conformance/judge"
	"github.com/culink/culink/conformance/plan"
	"github.com/culink/culink/conformance/report"
	"github.com/culink/culink/conformance/rulebook"
	"github.com/culink/culink/conformance/suite"
	"github.com/culink/culink/linker/show"
)

// Contents is the data of a page.
type Contents struct {
	Report *report.Report
	Base   *report.Report // an older report to compare with; may be nil
	Cases  []*suite.Case  // all cases of the corpus that was run
	Rules  *rulebook.Book
}

// Write writes the page.
func Write(w io.Writer, c Contents) error {
	r := c.Report
	groups := r.FirstCauses()
	view := &view{
		Linker:       cmp.Or(r.Linker, "culink"),
		Toolkit:      r.Toolkit,
		Waivers:      r.Waivers,
		Links:        r.JudgedLinks(),
		Failed:       len(r.FailedLinks()),
		OK:           r.OK(),
		Facets:       r.Facets,
		Hint:         r.Hint(groups),
		NotRun:       r.NotRun,
		Stale:        r.Stale,
		StaleWaivers: r.StaleWaivers,
		Verdict:      r.Conclusion(),
		Confinement:  cmp.Or(r.Confinement, "unknown"),
		NotHeld:      r.NotHeld() != "",
	}
	view.matrix(r)
	data, err := json.Marshal(c.data(groups))
	if err != nil {
		return err
	}
	view.Data = show.JSON(data)
	if c.Base != nil {
		view.Changes = report.CountChanges(r.Since(c.Base))
	}
	return pageTemplate().Execute(w, view)
}

//go:embed page.html
var source string

var pageTemplate = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("page").Funcs(template.FuncMap{"seen": show.Line}).Parse(source))
})

// A view holds the data for the part of the page that is visible without a script.
type view struct {
	Linker, Toolkit, Waivers string
	Links, Failed, NotRun    int
	OK                       bool
	Verdict                  string // conclusion in one sentence
	Confinement              string
	NotHeld                  bool // some of the guards around the linker
	Facets                   []judge.Facet
	Rows                     []*row
	Hint, Changes            string
	Stale                    []plan.StaleSkip
	StaleWaivers             []plan.StaleWaiver
	Data                     json.RawMessage
}

// A row of the matrix is for an area, and a cell is for a facet.
type row struct {
	Area  string
	Cases int
	Cells []*cell
}

type cell struct {
	Facet                      judge.Facet
	Pass, All, Waived, Skipped int
}

// Percent returns the width of the bar for passing links. If any link fails, the bar does not fill the whole width.
func (c *cell) Percent() int {
	const most = 96
	if c.Pass == c.All {
		return 100
	}
	return min(most, 100*c.Pass/max(c.All, 1))
}

// Class returns the CSS class.
func (c *cell) Class() string {
	switch {
	case c.All == 0:
		return "none"
	case c.Pass == c.All:
		return "all"
	case c.Pass == 0:
		return "zero"
	}
	return "some"
}

// matrix counts the verdicts by area and facet. The last row has the totals.
func (v *view) matrix(r *report.Report) {
	total := newRow("all", r.Facets)
	cases := map[string]bool{}
	for _, verdict := range r.Verdicts {
		if n := len(v.Rows); n == 0 || v.Rows[n-1].Area != verdict.Area() {
			v.Rows = append(v.Rows, newRow(verdict.Area(), r.Facets))
		}
		area := v.Rows[len(v.Rows)-1]
		if !cases[verdict.Case] {
			cases[verdict.Case] = true
			area.Cases++
			total.Cases++
		}
		area.count(verdict)
		total.count(verdict)
	}
	v.Rows = append(v.Rows, total)
}

func newRow(area string, facets []judge.Facet) *row {
	r := &row{Area: area}
	for _, f := range facets {
		r.Cells = append(r.Cells, &cell{Facet: f})
	}
	return r
}

func (r *row) count(v judge.Verdict) {
	for _, c := range r.Cells {
		if c.Facet != v.Facet {
			continue
		}
		if v.Skip != "" {
			c.Skipped++
			return
		}
		c.All++
		if v.Pass() {
			c.Pass++
		}
		if v.Waived > 0 {
			c.Waived++
		}
	}
}

// The data of the script: links that fail now or failed in the older report.
type (
	data struct {
		Linker string              `json:"linker"`
		Links  []*link             `json:"links"`
		Cases  map[string]caseInfo `json:"cases"` // the cases of Links, by name
		Rules  map[string]string   `json:"rules"` // statements by id, those of Cases
		Causes []cause             `json:"causes"`
	}
	link struct {
		Case   string  `json:"case"`
		SM     string  `json:"sm"`
		Step   int     `json:"step"`
		Class  string  `json:"class,omitempty"`
		Change string  `json:"change,omitempty"` // the worst of the facets
		Cause  int     `json:"cause"`            // index of Causes; -1 for none
		Facets []facet `json:"facets"`
	}
	facet struct {
		Facet       judge.Facet        `json:"facet"`
		Change      report.Change      `json:"change,omitempty"`
		Differences []judge.Difference `json:"differences"`
		More        int                `json:"more,omitempty"` // differences left out
	}
	caseInfo struct {
		Title string   `json:"title"`
		Rules []string `json:"rules"`
		Steps []string `json:"steps"` // command lines
	}
	cause struct {
		Facet judge.Facet `json:"facet"`
		What  string      `json:"what"`
		Links int         `json:"links"`
	}
)

// mostDifferences is the number of differences of one facet that a page shows.
const mostDifferences = 25

func (c Contents) data(groups []report.CauseGroup) *data {
	d := &data{Linker: c.Report.Linker, Cases: map[string]caseInfo{}, Rules: map[string]string{}}
	for _, g := range groups {
		d.Causes = append(d.Causes, cause{g.Facet, g.What, g.Links})
	}
	var changes map[string]report.Change
	if c.Base != nil {
		changes = c.Report.Since(c.Base)
	}
	for _, v := range c.Report.Verdicts {
		change := changes[v.Name()]
		if v.Pass() && change == "" {
			continue
		}
		l := d.linkOf(v)
		f := facet{Facet: v.Facet, Change: change, Differences: v.Differences, More: v.More}
		if n := len(v.Differences); n > mostDifferences {
			f.Differences, f.More = v.Differences[:mostDifferences], f.More+n-mostDifferences
		}
		if v.Skip != "" {
			f.Differences = nil
		}
		l.Facets = append(l.Facets, f)
		if l.Cause < 0 && !v.Pass() {
			l.Cause = report.GroupOf(groups, v)
		}
		if change != "" && (l.Change == "" || l.Change == string(report.ChangeFixed) || change == report.ChangeNew) {
			l.Change = string(change)
		}
	}
	d.describe(c)
	return d
}

// linkOf returns the link of a verdict, and adds the link if it is new. The verdicts of a link must be consecutive.
func (d *data) linkOf(v judge.Verdict) *link {
	if n := len(d.Links); n > 0 {
		if l := d.Links[n-1]; l.Case == v.Case && l.SM == v.SM && l.Step == v.Step {
			return l
		}
	}
	l := &link{Case: v.Case, SM: v.SM, Step: v.Step, Class: string(v.Class), Cause: -1}
	d.Links = append(d.Links, l)
	return l
}

// describe adds descriptions from the corpus and from the rules to the links.
func (d *data) describe(c Contents) {
	wanted := map[string]bool{}
	for _, l := range d.Links {
		wanted[l.Case] = true
	}
	for _, k := range c.Cases {
		if !wanted[k.ID()] {
			continue
		}
		info := caseInfo{Title: k.Title, Rules: k.Rules}
		for _, step := range k.Steps {
			info.Steps = append(info.Steps, strings.Join(step, " "))
		}
		d.Cases[k.ID()] = info
		for _, id := range k.Rules {
			d.Rules[id] = ""
		}
	}
	if c.Rules == nil {
		return
	}
	for _, r := range c.Rules.Rules {
		if _, ok := d.Rules[r.ID]; ok {
			d.Rules[r.ID] = r.Text()
		}
	}
}

// Title returns the title of the page.
func (v *view) Title() string {
	if v.Failed == 0 {
		return fmt.Sprintf("%s: %s", v.Linker, v.Verdict)
	}
	return fmt.Sprintf("%s: %d of %d links differ", v.Linker, v.Failed, v.Links)
}
