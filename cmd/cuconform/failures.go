package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/culink/culink/conformance/judge"
	"github.com/culink/culink/conformance/report"
)

// mostAlike is how many failures of one kind are printed, unless all are asked for.
const mostAlike = 3

// failures prints verdicts that do not pass, a line each: the first of each kind, which tell what
// the others would.
type failures struct {
	to     io.Writer
	colour palette
	all    bool // everything that differs, of every verdict
	alike  map[string]int
	more   int // that are not printed
}

func newFailures(to, shownOn io.Writer, all bool) *failures {
	return &failures{to: to, colour: paletteFor(shownOn), all: all, alike: map[string]int{}}
}

// add prints a verdict, if it does not pass. A line that cannot be printed fails later, when the table is.
func (f *failures) add(v judge.Verdict) {
	if v.Pass() {
		return
	}
	kind := report.Kind(v)
	f.alike[kind]++
	if f.alike[kind] > mostAlike && !f.all {
		f.more++
		return
	}
	var line strings.Builder
	_ = report.WriteFailure(&line, v, f.all)
	_, _ = io.WriteString(f.to, f.colour.bad("FAIL")+strings.TrimPrefix(line.String(), "FAIL"))
}

// end says how many were not printed.
func (f *failures) end() {
	if f.more > 0 {
		fmt.Fprintf(f.to, "and %d more failures of these kinds; -v prints all\n", f.more)
	}
}
