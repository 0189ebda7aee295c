package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/culink/culink/conformance/judge"
	"github.com/culink/culink/conformance/report"
)

// mostAlike is the number of failures of one kind that are printed by default.
const mostAlike = 3

// failures prints failing verdicts, one on each line. It prints only the first few of each kind, because the others
// would show the same.
type failures struct {
	to     io.Writer
	colour palette
	all    bool // every difference of every verdict
	alike  map[string]int
	more   int // number of failures that are not printed
}

func newFailures(to, shownOn io.Writer, all bool) *failures {
	return &failures{to: to, colour: paletteFor(shownOn), all: all, alike: map[string]int{}}
}

// add prints a verdict if it fails. It ignores a write error, because writing the table will then fail too.
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

// end prints how many were omitted.
func (f *failures) end() {
	if f.more > 0 {
		fmt.Fprintf(f.to, "and %d more failures of these kinds; -v prints all\n", f.more)
	}
}
