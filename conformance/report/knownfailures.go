package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/culink/culink/conformance/commandline"
	"github.com/culink/culink/conformance/judge"
	"github.com/culink/culink/conformance/plan"
	"github.com/culink/culink/linker/show"
)

// A KnownFailure is a skip that covers only failures of a report.
type KnownFailure struct {
	Skip  plan.Skip
	Links int    // failing links that it names
	First string // the first difference
}

// KnownFailures returns the shortest list of skips that covers the failures. A skip names an area if a facet fails there
// for every case and target of the report. Otherwise it names a case, or a case on a target.
func (r *Report) KnownFailures() []KnownFailure {
	type place struct {
		glob  string
		facet judge.Facet
	}
	levels := func(v judge.Verdict) [4]string {
		return [4]string{"*", v.Area(), v.Case, v.Case + "/sm_" + v.SM}
	}
	// A case on a target fails on a facet if one of its steps fails.
	failing := map[place]bool{}
	for _, v := range r.Verdicts {
		if !v.Pass() {
			failing[place{levels(v)[3], v.Facet}] = true
		}
	}
	passing := map[place]bool{} // places with something that passes or is already skipped
	for _, v := range r.Verdicts {
		l := levels(v)
		if !failing[place{l[3], v.Facet}] {
			for _, glob := range l {
				passing[place{glob, v.Facet}] = true
			}
		}
	}
	var out []KnownFailure
	index := map[place]int{}
	for _, v := range r.Verdicts {
		if v.Pass() {
			continue
		}
		for _, glob := range levels(v) {
			p := place{glob, v.Facet}
			if passing[p] {
				continue
			}
			i, seen := index[p]
			if !seen {
				i = len(out)
				index[p] = i
				out = append(out, KnownFailure{Skip: plan.Skip{Glob: glob, Facet: v.Facet}, First: fmt.Sprintf("%s: %s", v.Link(), v.Differences[0])})
			}
			out[i].Links++
			break
		}
	}
	return out
}

// WriteScript writes a shell script that runs cuconform with the arguments args and skips the failures of the report.
func (r *Report) WriteScript(w io.Writer, args []string) error {
	var b strings.Builder
	b.WriteString("#!/bin/sh\n")
	fmt.Fprintf(&b, "# Written by cuconform run -script: checks against nvlink %s. What failed on that day is skipped;\n", r.Toolkit)
	b.WriteString("# a skip that is no longer needed fails the run, and its line has to go.\n")
	b.WriteString("set -- -skip-must-fail \"$@\"\n")
	for _, k := range r.KnownFailures() {
		fmt.Fprintf(&b, "set -- -skip %s \"$@\" # %s; %s\n", commandline.ShellQuote(k.Skip.String()), commandline.Count(k.Links, "link"), show.Line(k.First))
	}
	b.WriteString("exec \"${CUCONFORM:-cuconform}\" run")
	for _, a := range args {
		b.WriteString(" " + commandline.ShellQuote(a))
	}
	b.WriteString(" \"$@\"\n")
	_, err := io.WriteString(w, b.String())
	return err
}
