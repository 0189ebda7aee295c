package record

import (
	"context"
	"errors"
	"fmt"

	"github.com/culink/culink/conformance/attempt"
	"github.com/culink/culink/conformance/judge"
	"github.com/culink/culink/conformance/suite"
	"github.com/culink/culink/corpus"
)

// storeOlder records c on a target with inputs that the tools of the older release make. Nothing is
// stored of a case that they cannot make, or of which some step has no outcome that can be recorded.
func (r *Recorder) storeOlder(ctx context.Context, c *suite.Case, sm string) (*suite.Stored, error) {
	out := &suite.Stored{Case: c, SM: sm, Release: r.Release}
	rec, err := r.Record(ctx, c, sm)
	if err != nil {
		out.NotMade = err
		return out, ctx.Err()
	}
	out.Section = rec.Section(c, sm)
	return out, nil
}

// anyError reports whether any error is as good as what nvlink said of a step: where the recorded one died,
// another one may die or not, as the memory is.
func anyError(c *suite.Case, o *attempt.Outcome) bool {
	return c.Expect == suite.ExpectCleanError && o.Exit != 0
}

// storeOf asks the nvlink of a later release for the steps of c on a target, with the inputs that
// are recorded. Nothing is stored of a step that follows from an earlier release, and of one where
// nvlink crashes.
func (r *Recorder) storeOf(ctx context.Context, c *suite.Case, sm string) (*suite.Stored, error) {
	rec, err := suite.LoadRecording(r.Corpus, c, sm)
	if err != nil {
		return nil, err
	}
	recorded := rec.Steps
	section := &corpus.Section{Steps: make([]*corpus.Step, len(recorded))}
	rec.Steps = nil
	for i := range recorded {
		link := attempt.Link{Before: rec.Before(i), Argv: c.Argv(i, sm), Toolkit: r.Release, Platform: c.Platform}
		var known *attempt.Outcome
		if suite.Follows(r.Release, sm) {
			o, err := suite.Inherited(ctx, r.Corpus, c, sm, i, link, recorded[i])
			if err != nil {
				return nil, err
			}
			known = &o
		}
		o, err := r.runStep(ctx, link.Before, link.Argv)
		switch {
		case known != nil && (errors.Is(err, errNoOutcome) || err == nil && (o.Class() == attempt.ClassCrash || anyError(c, o) || judge.FirstDifference(known, o) == nil)):
			o = known
		case err != nil:
			return nil, fmt.Errorf("%s: sm_%s: step %d %w", c.ID(), sm, i+1, err)
		default:
			section.Steps[i] = suite.StepOf(o)
		}
		rec.Steps = append(rec.Steps, *o)
	}
	return &suite.Stored{Case: c, SM: sm, Release: r.Release, Section: section}, nil
}
