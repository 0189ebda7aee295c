package main

import (
	"fmt"
	"io"
	"path"
	"slices"

	"github.com/culink/culink/conformance"
	"github.com/culink/culink/conformance/judge"
	"github.com/culink/culink/linker/show"
)

// A progress shows the progress of a run in links. On a terminal it updates one line, and elsewhere it prints a line for
// each area. It prints failures to standard output when they occur. If standard output is a terminal, it prints them
// below the table instead.
type progress struct {
	status   io.Writer
	lines    *failures
	terminal bool
	last     conformance.Progress
	failed   int // links, of all
	areaFrom int // number of links done before the area
	areaFail int
	areaSkip int // number of links whose facets are all skipped
}

func newProgress(status io.Writer, lines *failures) *progress {
	return &progress{status: status, lines: lines, terminal: isTerminal(status)}
}

// clearLine moves the cursor of a terminal to the start of the line and clears the line.
const clearLine = "\r\x1b[K"

func (p *progress) step(now conformance.Progress) {
	if p.last.Done > 0 && path.Dir(p.last.Case) != path.Dir(now.Case) {
		p.endArea()
	}
	p.last = now
	if p.terminal {
		fmt.Fprint(p.status, clearLine)
	}
	var steps []int // that fail
	p.areaSkip += skippedLinks(now.Verdicts)
	for _, v := range now.Verdicts {
		if !v.Pass() {
			if !slices.Contains(steps, v.Step) {
				steps = append(steps, v.Step)
			}
			p.lines.add(v)
		}
	}
	p.failed += len(steps)
	p.areaFail += len(steps)
	if p.terminal {
		fmt.Fprintf(p.status, "%d of %d links, %d failed: %s", now.Done, now.All, p.failed, show.Line(now.Case+" sm_"+now.SM))
	}
}

// endArea prints the result of an area.
func (p *progress) endArea() {
	if !p.terminal {
		fmt.Fprintf(p.status, "%d of %d links: %s: %d run, %d failed", p.last.Done, p.last.All, show.Line(path.Dir(p.last.Case)), p.last.Done-p.areaFrom-p.areaSkip, p.areaFail)
		if p.areaSkip > 0 {
			fmt.Fprintf(p.status, ", %d skipped", p.areaSkip)
		}
		fmt.Fprintln(p.status)
	}
	p.areaFrom, p.areaFail, p.areaSkip = p.last.Done, 0, 0
}

// skippedLinks counts the steps of a case whose verdicts are all skipped.
func skippedLinks(verdicts []judge.Verdict) int {
	judged := map[int]bool{}
	for _, v := range verdicts {
		judged[v.Step] = judged[v.Step] || v.Judged()
	}
	n := 0
	for _, some := range judged {
		if !some {
			n++
		}
	}
	return n
}

func (p *progress) end() {
	p.lines.end()
	switch {
	case p.last.Done == 0:
	case p.terminal:
		fmt.Fprint(p.status, clearLine)
	default:
		p.endArea()
	}
}
