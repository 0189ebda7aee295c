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

// storeOlder records c on a target with an older release. The tools of that release make the inputs. It stores nothing
// for a case if these tools cannot make its inputs, or if a step does not always have the same outcome.
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

// anyError reports whether any error is accepted as the outcome of a step. This is so if the recorded nvlink crashes in
// some runs and fails in others.
func anyError(c *suite.Case, o *attempt.Outcome) bool {
	return c.Expect == suite.ExpectCleanError && o.Exit != 0
}

// storeOf runs the steps of c on a target with the nvlink of a later release, on the recorded inputs. It does not store
// a step whose outcome is derived from an earlier release, or in which nvlink crashes.
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
		case known != nil && (errors.Is(err, errNoOutcome) || err == nil && (o.Class() == attempt.ClassCrash || anyError(c.For(r.Release), o) || judge.FirstDifference(known, o) == nil)):
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
