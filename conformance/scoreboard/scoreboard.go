// Package scoreboard shows the reports of several linkers side by side.
//
// A [Board] has a row for each report, a column for each facet, and a column for each area of the corpus. A cell counts
// links. It also has the first causes of the links that differ, and the reasons for those that were skipped. Linkers and
// libraries have other facets, so each have a board. The boards are written as a Markdown page, or as one HTML file
// without a script and without external references.
package scoreboard

import (
	_ "embed"
	"errors"
	"fmt"
	"html/template"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/culink/culink/conformance/commandline"
	"github.com/culink/culink/conformance/judge"
	"github.com/culink/culink/conformance/report"
	"github.com/culink/culink/linker/show"
)

// An Entry is a report with the name of its row.
type Entry struct {
	Name   string // "nvlink 12.4"
	Report *report.Report
}

// Boards are the boards of a page.
type Boards []*Board

// A Board shows reports side by side.
type Board struct {
	Title  string // what the rows are: "Linkers"
	Facets []judge.Facet
	Areas  []string
	Rows   []*Row
}

// A Row shows one report.
type Row struct {
	Name    string
	Toolkit string // the release whose outcomes are wanted
	Verdict string // conclusion in a sentence
	Whole   Cell
	ByFacet []Cell
	ByArea  []Cell
	ID      string // id of the row in a page
}

// A Cell counts the links of a report, for one facet or in one area.
type Cell struct {
	ID     string
	Title  string // "nvlink 12.4: reloc"
	Judged int    // links with a verdict that is not skipped
	Failed int    // links that differ
	Causes []report.CauseGroup
	// Notes describe what was not judged or was waived, and why.
	Notes []string
}

// New makes the boards of linkers and of libraries. It fails if there are no entries, or if two entries have the same
// name.
func New(entries []Entry) (boards Boards, err error) {
	if len(entries) == 0 {
		return nil, errors.New("no report is named; cuconform run -json writes one")
	}
	names := map[string]bool{}
	for _, e := range entries {
		if names[e.Name] {
			return nil, fmt.Errorf("two reports are named %q", e.Name)
		}
		names[e.Name] = true
	}
	rows := 0
	for _, library := range []bool{false, true} {
		of := slices.DeleteFunc(slices.Clone(entries), func(e Entry) bool { return e.Report.Library != library })
		if len(of) > 0 {
			boards = append(boards, newBoard(library, of, rows))
			rows += len(of)
		}
	}
	return boards, nil
}

// newBoard makes the board of some entries, which all are libraries or all linkers. rows is the number of rows before.
func newBoard(library bool, entries []Entry, rows int) *Board {
	b := &Board{Title: "Linkers"}
	if library {
		b.Title = "Libraries"
	}
	for _, e := range entries {
		for _, f := range e.Report.Facets {
			if !slices.Contains(b.Facets, f) {
				b.Facets = append(b.Facets, f)
			}
		}
		for _, v := range e.Report.Verdicts {
			if n := len(b.Areas); n == 0 || b.Areas[n-1] != v.Area() { // mostly sorted by area
				b.Areas = append(b.Areas, v.Area())
			}
		}
	}
	if !library { // reports may have some of the facets each
		slices.SortFunc(b.Facets, func(x, y judge.Facet) int {
			return slices.Index(judge.AllFacets, x) - slices.Index(judge.AllFacets, y)
		})
	}
	slices.Sort(b.Areas)
	b.Areas = slices.Compact(b.Areas)
	for i, e := range entries {
		b.Rows = append(b.Rows, b.row(rows+i, e))
	}
	return b
}

// row makes the row of an entry.
func (b *Board) row(i int, e Entry) *Row {
	id := fmt.Sprintf("r%d", i+1)
	r := &Row{Name: show.Line(e.Name), Toolkit: e.Report.Toolkit, Verdict: e.Report.Conclusion(), ID: id}
	r.Whole = cellOf(e, id, "all", func(judge.Verdict) bool { return true })
	if n := e.Report.NotRun; n > 0 {
		r.Whole.Notes = append(r.Whole.Notes, commandline.Count(n, "link")+" not run, after enough failures")
	}
	for k, f := range b.Facets {
		r.ByFacet = append(r.ByFacet, cellOf(e, fmt.Sprintf("%s-f%d", id, k+1), string(f), func(v judge.Verdict) bool { return v.Facet == f }))
	}
	for k, area := range b.Areas {
		r.ByArea = append(r.ByArea, cellOf(e, fmt.Sprintf("%s-a%d", id, k+1), area, func(v judge.Verdict) bool { return v.Area() == area }))
	}
	return r
}

// cellOf counts the verdicts of a report that belong to a cell.
func cellOf(e Entry, id, what string, belongs func(judge.Verdict) bool) Cell {
	part := &report.Report{}
	waived := 0
	skips := map[string]int{}
	for _, v := range e.Report.Verdicts {
		if !belongs(v) {
			continue
		}
		part.Verdicts = append(part.Verdicts, v)
		switch {
		case v.Skip != "":
			skips[v.Skip]++
		case v.Pass() && v.Waived > 0:
			waived++
		}
	}
	c := Cell{
		ID: id, Title: show.Line(e.Name + ": " + what), Judged: part.JudgedLinks(), Failed: len(part.FailedLinks()), Causes: part.FirstCauses(),
	}
	for _, skip := range slices.Sorted(maps.Keys(skips)) {
		c.Notes = append(c.Notes, fmt.Sprintf("%s skipped: %s", commandline.Count(skips[skip], "verdict"), show.Line(skip)))
	}
	if waived > 0 {
		c.Notes = append(c.Notes, fmt.Sprintf("%s excused by the waivers of %s", commandline.Count(waived, "verdict"), show.Line(e.Report.Waivers)))
	}
	return c
}

// Text returns the text of the cell: the number of links that pass and the number that were judged, or "-" if none was
// judged.
func (c Cell) Text() string {
	if c.Judged == 0 {
		return "-"
	}
	return fmt.Sprintf("%d/%d", c.Judged-c.Failed, c.Judged)
}

// Class returns the style class of a cell.
func (c Cell) Class() string {
	switch {
	case c.Judged == 0:
		return "none"
	case c.Failed == 0:
		return "all"
	case c.Failed == c.Judged:
		return "zero"
	}
	return "some"
}

// mostCauses is the number of first causes that a cell shows.
const mostCauses = 8

// Lines returns the first causes and the notes of a cell, each on a line.
func (c Cell) Lines() (lines []string) {
	for i, g := range c.Causes {
		if i == mostCauses && len(c.Causes) > mostCauses+1 {
			lines = append(lines, fmt.Sprintf("and %d more causes", len(c.Causes)-i))
			break
		}
		lines = append(lines, show.Line(fmt.Sprintf("%s: %s: %s (%s)", commandline.Count(g.Links, "link"), g.Facet, g.What, g.First.Case)))
	}
	lines = append(lines, c.Notes...)
	if lines == nil {
		lines = []string{"nothing differs"}
	}
	return lines
}

// Cells returns all cells of a row.
func (r *Row) Cells() []Cell { return slices.Concat([]Cell{r.Whole}, r.ByFacet, r.ByArea) }

//go:embed scoreboard.html
var source string

var pageTemplate = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("scoreboard").Funcs(template.FuncMap{"seen": show.Line}).Parse(source))
})

// WriteHTML writes the boards as an HTML page. A click on a cell shows its first causes.
func (b Boards) WriteHTML(w io.Writer) error { return pageTemplate().Execute(w, b) }

// WriteMarkdown writes the boards as a Markdown page of the documentation.
func (b Boards) WriteMarkdown(w io.Writer) error {
	var t strings.Builder
	t.WriteString(`# Scoreboard

Linkers on the corpus and libraries on their recorded calls, side by side. Each row is a stored report of
` + "`cuconform run -json`" + `; *wanted* is the release whose outcomes the linker has to repeat. A cell counts the links that pass of
those judged. A row leads to its first causes.
`)
	for _, board := range b {
		board.writeMarkdown(&t)
	}
	_, err := io.WriteString(w, t.String())
	return err
}

// writeMarkdown writes the tables of a board, then the first causes of each row.
func (b *Board) writeMarkdown(t *strings.Builder) {
	fmt.Fprintf(t, "\n## %s by facet\n\n", b.Title)
	head := []string{"linker", "wanted", "links"}
	for _, f := range b.Facets {
		head = append(head, string(f))
	}
	table(t, head, b.Rows, func(r *Row) []Cell { return append([]Cell{r.Whole}, r.ByFacet...) })
	fmt.Fprintf(t, "\n## %s by area\n\nA link passes here if it passes on every facet.\n\n", b.Title)
	head = []string{"linker", "wanted"}
	for _, area := range b.Areas {
		head = append(head, code(area))
	}
	table(t, head, b.Rows, func(r *Row) []Cell { return r.ByArea })
	fmt.Fprintf(t, "\n## %s: first causes\n\nThe first difference of a link is its first cause. Links with the same one are counted together.\n", b.Title)
	for _, r := range b.Rows {
		fmt.Fprintf(t, "\n<a id=\"%s\"></a>**%s**, %s.\n\n", r.ID, plain(r.Name), plain(r.Verdict))
		for _, line := range r.Whole.Lines() {
			fmt.Fprintf(t, "- %s\n", code(line))
		}
	}
}

// table writes a table of Markdown.
func table(t *strings.Builder, head []string, rows []*Row, cells func(*Row) []Cell) {
	fmt.Fprintf(t, "| %s |\n|%s\n", strings.Join(head, " | "), strings.Repeat(" --- |", len(head)))
	for _, r := range rows {
		fmt.Fprintf(t, "| [%s](#%s) | %s |", plain(r.Name), r.ID, plain(r.Toolkit))
		for _, c := range cells(r) {
			fmt.Fprintf(t, " %s |", c.Text())
		}
		t.WriteByte('\n')
	}
}

// code returns a text as inline code of Markdown.
func code(text string) string {
	return "`" + strings.NewReplacer("`", "'", "|", "\\|").Replace(show.Line(text)) + "`"
}

// plain escapes a text for a line of Markdown.
func plain(text string) string {
	return strings.NewReplacer("|", "\\|", "<", "&lt;", "[", "\\[", "]", "\\]", "*", "\\*", "_", "\\_", "`", "\\`").Replace(show.Line(text))
}
