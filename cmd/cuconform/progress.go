package main

import (
	"fmt"
	"io"
	"os"
	"path"

	"github.com/culink/culink/conformance"
)

// A progress shows how far a run is: on a terminal one line that changes, else a
// line for each area. Failures go to standard output as they come.
type progress struct {
	status   io.Writer
	lines    io.Writer
	verbose  bool // all that differs, not the first alone
	terminal bool
	last     conformance.Progress
	failed   int // of all
	areaDone int // cases of the area so far
	areaFail int
}

func newProgress(status, lines io.Writer, verbose bool) *progress {
	return &progress{status: status, lines: lines, verbose: verbose, terminal: isTerminal(status)}
}

// isTerminal tells whether a person watches.
func isTerminal(w io.Writer) bool {
	file, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := file.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0 && os.Getenv("TERM") != "dumb"
}

// clearLine returns to the start of a terminal's line and empties it.
const clearLine = "\r\x1b[K"

func (p *progress) step(now conformance.Progress) {
	if p.last.Done > 0 && path.Dir(p.last.Case) != path.Dir(now.Case) {
		p.endArea()
	}
	p.last = now
	p.areaDone++
	if p.terminal {
		fmt.Fprint(p.status, clearLine)
	}
	for _, v := range now.Verdicts {
		if !v.Pass() {
			p.failed++
			p.areaFail++
			// A report that cannot be printed fails later, when the table is.
			_ = conformance.WriteFailure(p.lines, v, p.verbose)
		}
	}
	if p.terminal {
		fmt.Fprintf(p.status, "%d of %d, %d failed: %s sm_%s", now.Done, now.All, p.failed, now.Case, now.SM)
	}
}

// endArea says how an area went.
func (p *progress) endArea() {
	if !p.terminal {
		fmt.Fprintf(p.status, "%d of %d: %s: %d run, %d failed\n", p.last.Done, p.last.All, path.Dir(p.last.Case), p.areaDone, p.areaFail)
	}
	p.areaDone, p.areaFail = 0, 0
}

func (p *progress) end() {
	switch {
	case p.last.Done == 0:
	case p.terminal:
		fmt.Fprint(p.status, clearLine)
	default:
		p.endArea()
	}
}
