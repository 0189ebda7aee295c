package main

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Time of a whole run, and what of it must be left for a nightly step to begin.
const (
	wholeRun   = 24 * time.Minute
	nightlyRun = 10 * time.Minute
)

var errNoTimeLeft = errors.New("no time was left")

// ofDay returns the nightly step of a day: the steps whose budget fits into the time left take turns. It returns nil
// if none fits, or if too little time is left to begin one.
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

// runWithin runs a nightly step within the time left, so that a step that no longer works is seen by those who change
// the code. Its failure is noted, but is no failure of the run: such a step needs packages of the network. The error is
// the signal that ended the run.
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
