package main

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// The time for a whole run, and the time that must be left to start a nightly step.
const (
	wholeRun   = 24 * time.Minute
	nightlyRun = 10 * time.Minute
)

var errNoTimeLeft = errors.New("no time was left")

// ofDay returns the nightly step for a day. The steps whose budget fits into the time left alternate from day to day. It
// returns nil if none fits, or if too little time is left to start one.
func ofDay(steps []step, day int, left time.Duration) *step {
	var fitting []*step
	for i, s := range steps {
		if s.nightly && time.Duration(s.minutes)*time.Minute <= left {
			fitting = append(fitting, &steps[i])
		}
	}
	if left < nightlyRun || len(fitting) == 0 {
		return nil
	}
	return fitting[day%len(fitting)]
}

// runWithin runs a nightly step within the time left, so that developers notice a step that no longer works. If the step
// fails, the summary says so, but the run does not fail, because such a step depends on packages from the network. The
// error is the signal that ended the run.
func (r *runner) runWithin(s step, left time.Duration) error {
	whole := r.ctx
	limited, cancel := context.WithTimeoutCause(whole, left, errNoTimeLeft)
	defer cancel()
	r.ctx = limited
	err := r.runStep(s)
	r.ctx = whole
	if cause := context.Cause(whole); cause != nil {
		return cause
	}
	if err != nil {
		r.note("%s, the nightly step of the day: FAILED: %v", s.name, err)
		fmt.Fprintf(r.stdout, "== %s FAILED: shown, but no failure of the run\n", s.name)
	}
	return nil
}
