package conformance

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/culink/culink/conformance/attempt"
	"github.com/culink/culink/conformance/codematch"
	"github.com/culink/culink/conformance/confine"
	"github.com/culink/culink/conformance/judge"
	"github.com/culink/culink/conformance/plan"
	"github.com/culink/culink/conformance/report"
	"github.com/culink/culink/conformance/sandbox"
	"github.com/culink/culink/conformance/suite"
)

// A run of a corpus has a verdict for each facet of each step of each case on each target.

// Options are the options of a run.
type Options struct {
	// Waivers lists accepted differences.
	Waivers []plan.Waiver
	// RunSkipped also runs skipped links, to find skips that are no longer needed.
	RunSkipped bool
	// Jobs is the number of concurrent links, or 0 for one on each processor.
	Jobs int
	// MaxFailures is the number of failing links after which the run stops, or 0 for no limit.
	MaxFailures int
	// Device runs images for the facet device. If it is nil, this facet is not judged.
	Device judge.Device
	// Release is a release other than that of the recordings. Its outcomes replace the recorded ones. It is nil for the
	// release of the recordings.
	Release *Release
	// Yardstick is a linker that also makes some of the links, so that the report can compare times. It may be nil.
	Yardstick *sandbox.Linker
	// Progress, if set, is called after each case on a target, in the order of the corpus.
	Progress func(Progress)
}

// canJudge reports whether the options allow facet f for a target.
func (o *Options) canJudge(f judge.Facet, sm string) bool {
	return f != judge.FacetDevice || o.Device != nil && o.Device.Runs(sm)
}

// Progress describes the case on a target that was run last.
type Progress struct {
	Done, All int // number of links; each step of a case on each target counts
	Case, SM  string
	Verdicts  []judge.Verdict
}

// Run runs a linker over a corpus, and reports a verdict for each link and facet.
func Run(ctx context.Context, corpus fs.FS, linker *sandbox.Linker, s plan.Selection, opt Options) (*report.Report, error) {
	cases, err := suite.LoadCasesOf(corpus, s.Platform)
	if err != nil {
		return nil, err
	}
	linker, end := linker.Pooled()
	defer end()
	if opt.Yardstick != nil {
		yardstick, end := opt.Yardstick.Pooled()
		defer end()
		opt.Yardstick = yardstick
	}
	units := s.UnitsOn(cases, func(c *suite.Case) []string { return opt.Release.targets(corpus, c) })
	var (
		results  = make([][]judge.Verdict, len(units))
		counts   = make([]codematch.Count, len(units))
		times    = make([][]report.Took, len(units))
		failures = make([]error, len(units))
		waivers  = plan.NewWaiverUse(opt.Waivers)
		budget   = report.NewBudget()
		enough   atomic.Bool // Options.MaxFailures is reached
	)
	run := func(i int) {
		if !enough.Load() && ctx.Err() == nil {
			opt := opt
			if !isSampled(i, len(units)) {
				opt.Yardstick = nil
			}
			results[i], counts[i], times[i], failures[i] = runCase(ctx, corpus, linker, s, opt, units[i].Case, units[i].SM)
			waivers.Apply(results[i])
			report.KeepFew(results[i]) // not later, because an earlier link in the order may take long
		}
	}
	all, done, failed, ended := linksOf(units), 0, 0, len(units)
	plan.InOrder(len(units), opt.Jobs, run, func(i int) {
		if enough.Load() || ctx.Err() != nil {
			return
		}
		budget.Take(results[i])
		done += len(units[i].Case.Steps)
		failed += len(report.FailedLinks(results[i]))
		if opt.MaxFailures > 0 && failed >= opt.MaxFailures {
			ended = i + 1
			enough.Store(true)
		}
		if opt.Progress != nil {
			opt.Progress(Progress{done, all, units[i].Case.ID(), units[i].SM, results[i]})
		}
	})
	if err := failureOf(ctx, failures, done, all); err != nil {
		return nil, err
	}
	end()
	found := &report.Report{
		Left:    left(linker),
		Toolkit: opt.Release.version(), Shard: s.Shard.String(), Facets: s.JudgedFacets(), Unused: waivers.Unused(), NotRun: all - done,
		Confinement: confine.Describe(linker.Trusted),
	}
	for i, verdicts := range results[:ended] {
		found.Verdicts = append(found.Verdicts, verdicts...)
		found.Functions.Add(counts[i])
	}
	found.StaleWaivers = waivers.Stale(s, units[:ended], found.Verdicts, func(c *suite.Case) []string { return opt.Release.targets(corpus, c) }, cases)
	found.Times = report.TimesOf(slices.Concat(times[:ended]...))
	if opt.RunSkipped {
		found.Stale = s.StaleSkips(cases, found.Verdicts)
	}
	return found, nil
}

// failureOf returns the error of a run. judged is the number of links that the run has judged, and all is the number of links
// that it was to judge. The error of an interrupted run is a single line. It does not list the links that were under way.
func failureOf(ctx context.Context, failures []error, judged, all int) error {
	if ctx.Err() != nil {
		return fmt.Errorf("ended after %d of %d links: %w", judged, all, context.Cause(ctx))
	}
	return errors.Join(failures...)
}

// runCase runs the steps of a case on one target and judges them. It omits a step whose every facet is skipped, unless
// the options request it.
func runCase(ctx context.Context, corpus fs.FS, linker *sandbox.Linker, s plan.Selection, opt Options, c *suite.Case, sm string) ([]judge.Verdict, codematch.Count, []report.Took, error) {
	var functions codematch.Count
	c = c.For(opt.Release.OtherProfile())
	rec, err := opt.Release.load(ctx, corpus, c, sm)
	if err != nil {
		return nil, functions, nil, err
	}
	var out []judge.Verdict
	var times []report.Took
	for i := range rec.Steps {
		link := attempt.Link{Before: rec.Before(i), Argv: c.Argv(i, sm), Toolkit: opt.Release.OtherProfile(), Platform: c.Platform}.Remembered(ctx)
		var verdicts []judge.Verdict
		wanted := opt.RunSkipped
		for _, f := range s.JudgedFacets() {
			if !judge.Asks(ctx, c, f, link, &rec.Steps[i]) || !opt.canJudge(f, sm) {
				continue
			}
			v := judge.Verdict{Case: c.ID(), SM: sm, Step: i + 1, Facet: f, Follows: rec.FollowsIn(i)}
			if skip, ok := s.Skip(c.ID(), sm, f); ok {
				v.Skip = skip.String()
			} else {
				wanted = true
			}
			verdicts = append(verdicts, v)
		}
		if wanted {
			got, err := linker.On(c.Platform).In(sandbox.EnvironmentOf(c.ID(), sm, i).On(c.Platform)).Run(ctx, link.Before, link.Argv)
			if err != nil {
				return nil, functions, nil, err
			}
			t := report.Took{Link: fmt.Sprintf("%s sm_%s step %d", c.ID(), sm, i+1), Usage: got.Usage}
			if opt.Yardstick != nil {
				if t.Yardstick, err = measure(ctx, opt.Yardstick, link); err != nil {
					return nil, functions, nil, err
				}
			}
			if got.Usage != (confine.Usage{}) { // the usage of a serving linker is unknown
				times = append(times, t)
			}
			functions.Add(judge.CountFunctions(&rec.Steps[i], got))
			expect := opt.Release.expects(corpus, c, sm, i, &rec.Steps[i], got)
			for j := range verdicts {
				v := &verdicts[j]
				v.Class = got.Class()
				v.Differences = judge.Link(ctx, v.Facet, expect, link, &rec.Steps[i], got)
				if v.Facet == judge.FacetDevice && len(v.Differences) == 0 {
					if v.Differences, err = judge.OnDevice(ctx, opt.Device, &rec.Steps[i], got); err != nil {
						return nil, functions, nil, err
					}
				}
			}
		}
		out = append(out, verdicts...)
	}
	return out, functions, times, nil
}

// linksOf counts the links of units.
func linksOf(units []plan.Unit) (n int) {
	for _, u := range units {
		n += len(u.Case.Steps)
	}
	return n
}

// measure returns the yardstick's processor time for a link. The outcome of the yardstick's link is not judged.
func measure(ctx context.Context, yardstick *sandbox.Linker, link attempt.Link) (time.Duration, error) {
	o, err := yardstick.Run(ctx, link.Before, link.Argv)
	if err != nil {
		return 0, err
	}
	return o.Usage.CPU, nil
}

// sampled is the number of cases that the yardstick links.
const sampled = 24

// isSampled reports whether the yardstick links the case with index i. of is the number of cases.
func isSampled(i, of int) bool { return i%max(of/sampled, 1) == 0 }

// left returns the error of [sandbox.Linker.Left] as lines, one for each folder.
func left(linker *sandbox.Linker) []string {
	if err := linker.Left(); err != nil {
		return strings.Split(err.Error(), "\n")
	}
	return nil
}
