package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"text/tabwriter"
	"time"
)

// A step is one check.
type step struct {
	name    string
	minutes int  // budget on two cores
	live    bool // needs NVIDIA's tools
	nightly bool // runs only when it is named
	what    string
	run     func(*runner) error
}

// list writes a line for each step: its name, its budget in minutes, whether it needs NVIDIA's tools, when it runs, and
// what it checks.
func list(w io.Writer, steps []step) {
	table := tabwriter.NewWriter(w, 0, 0, 1, ' ', 0)
	for _, s := range steps {
		live, when := "-", "always"
		if s.live {
			live = "live"
		}
		if s.nightly {
			when = "nightly"
		}
		fmt.Fprintf(table, "%s\t%d\t%s\t%s\t%s\n", s.name, s.minutes, live, when, s.what)
	}
	table.Flush()
}

// A runner runs steps one after the other, and collects the lines of the summary.
type runner struct {
	ctx            context.Context
	stdout, stderr io.Writer
	oracle         string // folder of NVIDIA's tools; empty if not yet known, or if they cannot be installed
	searched       bool   // whether the tools were searched for; they are installed only once
	day            int    // days since 1970, which determine the nightly step of the day
	current        string // name of the step
	summary        []string
}

// An interruption is an error for a signal that ended the run.
type interruption struct{ signal syscall.Signal }

func (i interruption) Error() string { return "ended by signal: " + i.signal.String() }

// run runs the steps in names. Without names it runs every step that is not nightly, and then the nightly step of the
// day if there is time left. It stops at the first step that fails. It returns the exit status.
func (r *runner) run(steps []step, names []string) int {
	start := time.Now()
	r.current = "start"
	var err error
	for _, s := range steps {
		if len(names) == 0 && s.nightly || len(names) > 0 && !slices.Contains(names, s.name) {
			continue
		}
		if err = r.runStep(s); err != nil {
			break
		}
	}
	if len(names) == 0 && err == nil {
		left := wholeRun - time.Since(start)
		if s := ofDay(steps, r.day, left); s != nil {
			err = r.runWithin(*s, left)
		}
	}
	if len(r.summary) == 0 {
		r.note("nothing")
	}
	fmt.Fprintf(r.stdout, "== ran\n   %s\n", strings.Join(r.summary, "\n   "))
	if err != nil {
		if exit := (*exec.ExitError)(nil); !errors.As(err, &exit) {
			fmt.Fprintf(r.stderr, "%s: %v\n", r.current, err)
		}
		fmt.Fprintf(r.stdout, "== FAILED in %s, after %d s\n", r.current, seconds(start))
		return statusOf(err)
	}
	fmt.Fprintf(r.stdout, "== all passed in %d s\n", seconds(start))
	return 0
}

func (r *runner) runStep(s step) error {
	r.current = s.name
	if s.live && !r.findOracle() {
		r.note("%s: NOT RUN, because the oracle (nvlink %s) could not be installed", s.name, recorded)
		return context.Cause(r.ctx)
	}
	fmt.Fprintf(r.stdout, "== %s: %s\n", s.name, s.what)
	start := time.Now()
	err := s.run(r)
	// If a signal interrupted a step, the step has failed, whatever its commands returned.
	if cause := context.Cause(r.ctx); cause != nil {
		return cause
	}
	if err != nil {
		return err
	}
	took, budget, over := seconds(start), s.minutes*60, ""
	if took > budget {
		over = ", OVER ITS BUDGET"
	}
	r.note("%s: %d s of %d%s", s.name, took, budget, over)
	return nil
}

// note adds a line to the summary.
func (r *runner) note(format string, args ...any) {
	r.summary = append(r.summary, fmt.Sprintf(format, args...))
}

func seconds(since time.Time) int { return int(time.Since(since).Seconds()) }

// statusOf returns the exit status of a run that ends with err.
func statusOf(err error) int {
	if ended := (interruption{}); errors.As(err, &ended) {
		return 128 + int(ended.signal)
	}
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) && exit.ExitCode() > 0 {
		return exit.ExitCode()
	}
	return 1
}
