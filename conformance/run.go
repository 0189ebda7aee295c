package conformance

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"runtime"
	"slices"
	"strings"
	"sync"
	"text/tabwriter"
)

// Running a corpus gives one verdict for each step of each case on each target
// and facet.

// A Selection says which part of a corpus is run. Empty fields select all.
type Selection struct {
	Cases   string // glob over "area/name"; a glob without / matches areas
	Targets []string
	Facets  []Facet
}

// ParseFacets reads a list of facets, separated by commas; empty means all.
func ParseFacets(list string) ([]Facet, error) {
	if list == "" {
		return Facets, nil
	}
	var out []Facet
	for _, name := range strings.Split(list, ",") {
		if !slices.Contains(Facets, Facet(name)) {
			return nil, fmt.Errorf("unknown facet %q", name)
		}
		out = append(out, Facet(name))
	}
	return out, nil
}

// Selects tells whether a case on a target belongs to the selection.
func (s Selection) Selects(c *Case, sm string) bool {
	if len(s.Targets) > 0 && !slices.Contains(s.Targets, sm) {
		return false
	}
	if s.Cases == "" || matchCase(s.Cases, c.ID(), sm) {
		return true
	}
	ok, err := path.Match(s.Cases, c.Area)
	return err == nil && ok
}

// A Verdict is the answer to one facet of one step.
type Verdict struct {
	Case        *Case
	SM          string
	Step        int // from 1
	Facet       Facet
	Differences []Difference // not waived
	Waived      int          // differences that a waiver excuses
}

// Pass tells whether nothing but waived differences was found.
func (v Verdict) Pass() bool { return len(v.Differences) == 0 }

// A Report is the result of a run.
type Report struct {
	Verdicts []Verdict
	// Unused are the waivers that excused nothing.
	Unused []Waiver
}

// Run runs a linker over a corpus. Differences that one of the waivers excuses
// do not count.
func Run(ctx context.Context, corpus fs.FS, linker *Linker, s Selection, waivers []Waiver) (*Report, error) {
	cases, err := LoadCases(corpus)
	if err != nil {
		return nil, err
	}
	type job struct {
		c  *Case
		sm string
	}
	var jobs []job
	for _, c := range cases {
		for _, sm := range c.Targets {
			if s.Selects(c, sm) {
				jobs = append(jobs, job{c, sm})
			}
		}
	}
	results := make([][]Verdict, len(jobs))
	failures := make([]error, len(jobs))
	var group sync.WaitGroup
	slots := make(chan struct{}, runtime.GOMAXPROCS(0))
	for i, j := range jobs {
		slots <- struct{}{}
		group.Go(func() {
			defer func() { <-slots }()
			results[i], failures[i] = runCase(ctx, corpus, linker, s, j.c, j.sm)
		})
	}
	group.Wait()
	if err := errors.Join(failures...); err != nil {
		return nil, err
	}
	report := &Report{Verdicts: slices.Concat(results...)}
	report.waive(waivers)
	return report, nil
}

// runCase runs every step of a case on one target and judges it.
func runCase(ctx context.Context, corpus fs.FS, linker *Linker, s Selection, c *Case, sm string) ([]Verdict, error) {
	rec, err := LoadRecording(corpus, c, sm)
	if err != nil {
		return nil, err
	}
	facets := s.Facets
	if len(facets) == 0 {
		facets = Facets
	}
	var out []Verdict
	for i := range rec.Steps {
		got, err := linker.Run(ctx, rec.Before(i), c.Argv(i, sm))
		if err != nil {
			return nil, err
		}
		for _, f := range facets {
			if f.Applies(&rec.Steps[i], c.Expect) {
				out = append(out, Verdict{Case: c, SM: sm, Step: i + 1, Facet: f,
					Differences: Judge(f, c.Expect, &rec.Steps[i], got)})
			}
		}
	}
	return out, nil
}

// waive takes the excused differences out of the verdicts.
func (r *Report) waive(waivers []Waiver) {
	used := make([]bool, len(waivers))
	for i := range r.Verdicts {
		v := &r.Verdicts[i]
		var kept []Difference
		for _, d := range v.Differences {
			excused := false
			for j, w := range waivers {
				if w.Excuses(v.Case.ID(), v.SM, d) {
					excused, used[j] = true, true
				}
			}
			if excused {
				v.Waived++
			} else {
				kept = append(kept, d)
			}
		}
		v.Differences = kept
	}
	for j, w := range waivers {
		if !used[j] {
			r.Unused = append(r.Unused, w)
		}
	}
}

// Failed counts the verdicts that did not pass.
func (r *Report) Failed() int {
	n := 0
	for _, v := range r.Verdicts {
		if !v.Pass() {
			n++
		}
	}
	return n
}

// WriteFailures writes a line for the first difference of each failed verdict.
func (r *Report) WriteFailures(w io.Writer) error {
	for _, v := range r.Verdicts {
		if v.Pass() {
			continue
		}
		more := ""
		if n := len(v.Differences) - 1; n > 0 {
			more = fmt.Sprintf(" (and %d more)", n)
		}
		if _, err := fmt.Fprintf(w, "FAIL %s sm_%s step %d: %s%s\n", v.Case.ID(), v.SM, v.Step, v.Differences[0], more); err != nil {
			return err
		}
	}
	return nil
}

// WriteTable writes a line for each area and a column for each facet: steps
// that pass of steps judged, and how many of these pass by a waiver.
func (r *Report) WriteTable(w io.Writer) error {
	type cell struct{ pass, waived, all int }
	const total = "all"
	cells := map[string]map[Facet]*cell{total: {}}
	cases := map[string]map[string]bool{total: {}}
	var areas []string
	for _, v := range r.Verdicts {
		if cells[v.Case.Area] == nil {
			areas = append(areas, v.Case.Area)
			cells[v.Case.Area] = map[Facet]*cell{}
			cases[v.Case.Area] = map[string]bool{}
		}
		for _, row := range []string{v.Case.Area, total} {
			cases[row][v.Case.ID()] = true
			c := cells[row][v.Facet]
			if c == nil {
				c = &cell{}
				cells[row][v.Facet] = c
			}
			c.all++
			if v.Pass() {
				c.pass++
				if v.Waived > 0 {
					c.waived++
				}
			}
		}
	}
	tw := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	fmt.Fprint(tw, "area\tcases")
	for _, f := range Facets {
		fmt.Fprintf(tw, "\t%s", f)
	}
	fmt.Fprintln(tw)
	for _, row := range append(areas, total) {
		fmt.Fprintf(tw, "%s\t%d", row, len(cases[row]))
		for _, f := range Facets {
			c := cells[row][f]
			switch {
			case c == nil:
				fmt.Fprint(tw, "\t-")
			case c.waived > 0:
				fmt.Fprintf(tw, "\t%d/%d (%d waived)", c.pass, c.all, c.waived)
			default:
				fmt.Fprintf(tw, "\t%d/%d", c.pass, c.all)
			}
		}
		fmt.Fprintln(tw)
	}
	return tw.Flush()
}
