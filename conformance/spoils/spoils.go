// Package spoils writes the table of the faults that tests inject to check the suite, and of the facets that detect each
// fault. Tests of two packages write its parts. If CULINK_SPOILS=FOLDER is set, these tests write each part to a file in
// FOLDER. The page consists of these files, sorted by name.
package spoils

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A Row is one injected fault.
type Row struct {
	Kind   string
	Case   string   // a case that shows it
	Facets []string // the facets that detect it
}

// Folder is the environment variable for the folder in which parts are written.
const Folder = "CULINK_SPOILS"

// parts lists the parts of the page in order, each with the text above its table.
var parts = []struct{ name, heading string }{
	{"run", `# Ways to be wrong, and what notices them

Each kind is a good linker spoiled in one point, with the facets of ` + "`cuconform run`" + ` that fail on the case named beside it.

## What a whole run notices

culink as a child process, spoiled on its way out: exit status, messages, files, bytes.
`},
	{"schedule", `## Schedules

Control bits of functions for sm_100 and later: of one whose scoreboards nvlink reallocates, as culink does too; of one
where culink keeps the input's, which a waiver excuses; and of another one.
`},
	{"verdicts", `## What the checker says of wrong schedules

Functions of nvlink's outputs in the corpus that ` + "`linker/hazard`" + ` calls safe, their schedules made wrong in one way each
(` + "`linker/hazard/spoil`" + `), at places chosen at random. What it calls safe all the same, the adversary (` + "`linker/hazard/adversary`" + `)
plays on every path, without joining any: stalls that other instructions make up for, waits for what another one has waited
for before, operands that nothing overwrites, results that nothing uses. This is about registers alone: waits do not settle in
which order memory is read and written. Other functions: ` + "`go run ./linker/hazard/measure -spoil 1 FOLDER`" + `.
`},
	{"executables", `## What runs differently

Outputs of nvlink that would run differently, or not at all. Here ` + "`sound`" + ` decides, which knows no recording.

### Executables
`},
	{"mercury", "### For sm_100 and later\n"},
	{"relocatable", "### Relocatable files\n"},
	{"everywhere", `### Anywhere

Each of these is tried wherever it is possible, in about one output of the corpus in 97 (` + "`CULINK_WRONGS_EVERY=1`" + ` asks for all);
the case is one of them. What ` + "`sound`" + ` lets pass of the others, and what notices it instead, stands with the kind in
` + "`conformance/sound/everywhere_test.go`" + `.
`},
}

// columns lists the facets in the order of reports.
var columns = []string{"exit", "messages", "file", "sound", "image", "bytes"}

// text returns rows as the text of a part.
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

// Write writes a part of the page with the rows of a test, if the variable [Folder] is set.
func Write(part string, rows []Row) error { return WriteText(part, text(rows)) }

// WriteText writes a part of the page with the text of a test, if the variable [Folder] is set.
func WriteText(part, text string) error {
	folder := os.Getenv(Folder)
	if folder == "" {
		return nil
	}
	for i, p := range parts {
		if p.name == part {
			name := filepath.Join(folder, fmt.Sprintf("%d-%s.md", i, part))
			return os.WriteFile(name, []byte(p.heading+"\n"+text+"\n"), 0o666)
		}
	}
	return fmt.Errorf("the page has no part %s", part)
}
