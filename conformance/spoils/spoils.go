// Package spoils keeps the table of the ways to be wrong that tests try on the suite, each
// with the facets that notice it: docs/spoils.md. Tests of two packages make its parts; each
// compares its own part with what it found, and writes it when asked to.
package spoils

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"strings"
)

// A Row is one way to be wrong.
type Row struct {
	Kind   string
	Case   string   // that shows it
	Facets []string // that notice it
}

// Update names the variable that makes tests write their part of the table.
const Update = "UPDATE_SPOILS"

// columns are the facets in the order of reports.
var columns = []string{"exit", "messages", "file", "sound", "image", "bytes"}

// text is rows as a part of the page.
func text(rows []Row) string {
	rows = slices.Clone(rows)
	slices.SortStableFunc(rows, func(a, b Row) int { return cmp.Compare(a.Kind, b.Kind) })
	var b strings.Builder
	fmt.Fprintf(&b, "| kind | case | %s |\n| --- | --- |%s\n", strings.Join(columns, " | "), strings.Repeat(" --- |", len(columns)))
	for _, r := range rows {
		fmt.Fprintf(&b, "| %s | %s |", r.Kind, r.Case)
		for _, f := range columns {
			mark := ""
			if slices.Contains(r.Facets, f) {
				mark = "fails"
			}
			fmt.Fprintf(&b, " %s |", mark)
		}
		b.WriteByte('\n')
	}
	fmt.Fprintf(&b, "\n%d kinds.\n", len(rows))
	return b.String()
}

// Check compares a part of the page with the rows that a test found, or writes it.
func Check(page, part string, rows []Row) error { return CheckText(page, part, text(rows)) }

// CheckText compares a part of the page, which stands between two marks with its name, with what
// a test found, or writes it.
func CheckText(page, part, fresh string) error {
	data, err := os.ReadFile(page)
	if err != nil {
		return err
	}
	begin, end := "<!-- begin "+part+" -->\n", "<!-- end "+part+" -->\n"
	before, rest, found := strings.Cut(string(data), begin)
	old, after, ended := strings.Cut(rest, end)
	if !found || !ended {
		return fmt.Errorf("%s: no part %s", page, part)
	}
	if old == fresh {
		return nil
	}
	if os.Getenv(Update) == "" {
		return fmt.Errorf("%s: the part %s is old: run the tests with %s=1", page, part, Update)
	}
	return os.WriteFile(page, []byte(before+begin+fresh+end+after), 0o666)
}
