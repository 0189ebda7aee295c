package scoreboard

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/culink/culink/conformance/judge"
	"github.com/culink/culink/conformance/report"
)

// forged is a name that could change the layout of the text around it, or end an HTML tag.
const forged = "</li>\x1b[2J\u202e|`"

// example returns the reports of two linkers and a library. One linker differs in one of three links on two facets, and
// the other skips a facet.
func example() []Entry {
	verdict := func(name string, f judge.Facet, d ...judge.Difference) judge.Verdict {
		return judge.Verdict{Case: name, SM: "90", Step: 1, Facet: f, Differences: d}
	}
	waived, skipped := verdict("weak/three", "bytes"), verdict("weak/three", "bytes")
	waived.Waived, skipped.Skip = 1, "weak/*:bytes"
	differs := judge.Difference{Key: "stderr.1", Want: "nothing", Got: forged}
	return []Entry{
		{"first " + forged, &report.Report{
			Toolkit: "13.0.88", Linker: "./ld", Waivers: "some.txt", Facets: []judge.Facet{"messages", "bytes"},
			Verdicts: []judge.Verdict{
				verdict("basic/one", "messages"), verdict("basic/one", "bytes"),
				verdict("merge/two", "messages", differs), verdict("merge/two", "bytes", differs),
				verdict("weak/three", "messages"), waived,
			},
		}},
		{"third", &report.Report{
			Toolkit: "13.0.88", Library: true, Facets: []judge.Facet{"result", "image"},
			Verdicts: []judge.Verdict{verdict("links/one", "result"), verdict("links/one", "image", differs)},
		}},
		{"second", &report.Report{Toolkit: "13.5.37", Facets: []judge.Facet{"bytes"}, NotRun: 2, Verdicts: []judge.Verdict{verdict("info/four", "bytes"), skipped}}},
	}
}

// exampleBoards returns the boards of the example.
func exampleBoards(t *testing.T) Boards {
	t.Helper()
	b, err := New(example())
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// A cell counts the links that pass and those that were judged. It has the first cause of each link that differs, and
// lists what was skipped, waived or not run (CONF-086).
func TestCells(t *testing.T) {
	b := exampleBoards(t)[0]
	if !slices.Equal(b.Facets, []judge.Facet{"messages", "bytes"}) || !slices.Equal(b.Areas, []string{"basic", "info", "merge", "weak"}) {
		t.Errorf("columns %v, %v", b.Facets, b.Areas)
	}
	for i, want := range []string{"2/3 2/3 2/3 1/1 - 0/1 1/1", "1/1 - 1/1 - 1/1 - -"} {
		var got []string
		for _, c := range b.Rows[i].Cells() {
			got = append(got, c.Text())
		}
		if strings.Join(got, " ") != want {
			t.Errorf("row %d: %v, want %s", i, got, want)
		}
	}
	libraries := exampleBoards(t)[1]
	if len(libraries.Rows) != 1 || libraries.Rows[0].ID != "r3" || !slices.Equal(libraries.Facets, []judge.Facet{"result", "image"}) {
		t.Errorf("libraries: %+v", libraries)
	}
	if got := libraries.Rows[0].Verdict; got != "differing from libnvJitLink 13.0.88: 1 of 1 link" {
		t.Errorf("verdict of a library: %s", got)
	}
	first, second := b.Rows[0].Whole, b.Rows[1].Whole
	if len(first.Causes) != 1 || first.Causes[0].Links != 1 || first.Causes[0].Facet != "messages" {
		t.Errorf("causes %+v", first.Causes)
	}
	if want := []string{"1 verdict excused by the waivers of some.txt"}; !slices.Equal(first.Notes, want) {
		t.Errorf("notes %q", first.Notes)
	}
	if want := []string{"1 verdict skipped: weak/*:bytes", "2 links not run, after enough failures"}; !slices.Equal(second.Notes, want) {
		t.Errorf("notes %q", second.Notes)
	}
}

// A board needs reports, and a name for each.
func TestNames(t *testing.T) {
	if _, err := New(nil); err == nil {
		t.Error("no report makes a board")
	}
	e := example()[2]
	if _, err := New([]Entry{e, e}); err == nil {
		t.Error("two reports of a name make a board")
	}
}

// Both pages escape the names in reports. The HTML page has no external references and no script, and each cell leads to
// a section about it (CONF-086).
func TestPages(t *testing.T) {
	b := exampleBoards(t)
	var html, markdown bytes.Buffer
	if err := b.WriteHTML(&html); err != nil {
		t.Fatal(err)
	}
	if err := b.WriteMarkdown(&markdown); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"html": html.String(), "markdown": markdown.String()} {
		if strings.ContainsAny(text, "\x1b\u202e") || strings.Contains(text, "first </li>") {
			t.Errorf("%s holds a name as it is", name)
		}
	}
	if outside := regexp.MustCompile(`(?i)(https?:)?//[a-z]+\.[a-z]|<link|<img|<script|@import|url\(|src=`).FindAllString(html.String(), -1); outside != nil {
		t.Errorf("the page names %q", outside)
	}
	for _, board := range b {
		checkCells(t, board, html.String())
	}
	for _, table := range strings.Split(markdown.String(), "\n\n") {
		var bars []int
		for _, line := range strings.Split(strings.TrimSpace(table), "\n") {
			bars = append(bars, strings.Count(strings.ReplaceAll(line, `\|`, ""), "|"))
		}
		if slices.Min(bars) != slices.Max(bars) {
			t.Errorf("the rows have %v bars: %s", bars, table)
		}
	}
}

// checkCells fails if a cell of a board leads nowhere in the HTML page.
func checkCells(t *testing.T, b *Board, html string) {
	t.Helper()
	for _, r := range b.Rows {
		for _, c := range r.Cells() {
			if !strings.Contains(html, `href="#`+c.ID+`"`) || !strings.Contains(html, `class="cell" id="`+c.ID+`"`) {
				t.Errorf("nothing opens %s", c.ID)
			}
		}
	}
}
