package conformance

import (
	"context"
	"errors"
	"io/fs"
	"sync/atomic"

	"github.com/culink/culink/conformance/codematch"
	"github.com/culink/culink/conformance/confine"
)

// Running a corpus gives one verdict for each step of each case on each target
// and facet.

// Options say how a corpus is run.
type Options struct {
	// Waivers excuse differences.
	Waivers []Waiver
	// RunSkipped runs what the selection skips too, to find stale skips.
	RunSkipped bool
	// Jobs is how many links run at a time; 0 for one on each processor.
	Jobs int
	// MaxFailures ends the run after so many failing links; 0 for no limit.
	MaxFailures int
	// Device runs images for the facet device, which is not judged without it.
	Device Device
	// Release is another release than that of the recordings: what its nvlink does now is
	// asked for in place of them.
	Release *Release
	// Progress, if set, is told of each case on a target, in the order of the corpus.
	Progress func(Progress)
}

// Progress says what has been run last.
type Progress struct {
	Done, All int // links: each step of a case on each target counts
	Case, SM  string
	Verdicts  []Verdict
}

// Run runs a linker over a corpus.
func Run(ctx context.Context, corpus fs.FS, linker *Linker, s Selection, opt Options) (*Report, error) {
	cases, err := LoadCases(corpus)
	if err != nil {
		return nil, err
	}
	units := s.unitsFor(cases, func(c *Case) []string { return opt.Release.targets(corpus, c) })
	var (
		results  = make([][]Verdict, len(units))
		counts   = make([]codematch.Count, len(units))
		failures = make([]error, len(units))
		waivers  = newWaiverUse(opt.Waivers)
		enough   atomic.Bool // as many failures as the options ask for
	)
	run := func(i int) {
		if !enough.Load() {
			results[i], counts[i], failures[i] = runCase(ctx, corpus, linker, s, opt, units[i].c, units[i].sm)
		}
	}
	all, done, failed, ended := linksOf(units), 0, 0, len(units)
	inOrder(len(units), opt.Jobs, run, func(i int) {
		if enough.Load() {
			return
		}
		waivers.apply(results[i])
		done += len(units[i].c.Steps)
		failed += len(failedLinks(results[i]))
		if opt.MaxFailures > 0 && failed >= opt.MaxFailures {
			ended = i + 1
			enough.Store(true)
		}
		if opt.Progress != nil {
			opt.Progress(Progress{done, all, units[i].c.ID(), units[i].sm, results[i]})
		}
	})
	if err := errors.Join(failures...); err != nil {
		return nil, err
	}
	report := &Report{
		Toolkit: opt.Release.version(), Shard: s.Shard.String(), Facets: s.facets(), Unused: waivers.unused(), NotRun: all - done,
		Confinement: confine.Describe(linker.Trusted),
	}
	for i, verdicts := range results[:ended] {
		report.Verdicts = append(report.Verdicts, verdicts...)
		report.Functions.Add(counts[i])
	}
	if opt.RunSkipped {
		report.Stale = s.stale(cases, report.Verdicts)
	}
	return report, nil
}

// runCase runs every step of a case on one target and judges it. A step of which
// every facet is skipped is not run, unless the options ask for it.
func runCase(ctx context.Context, corpus fs.FS, linker *Linker, s Selection, opt Options, c *Case, sm string) ([]Verdict, codematch.Count, error) {
	var functions codematch.Count
	rec, err := opt.Release.load(ctx, corpus, c, sm)
	if err != nil {
		return nil, functions, err
	}
	var out []Verdict
	for i := range rec.Steps {
		link := Link{rec.Before(i), c.Argv(i, sm), opt.Release.profile()}
		var verdicts []Verdict
		wanted := opt.RunSkipped
		for _, f := range s.facets() {
			if !c.Judges(ctx, f, link, &rec.Steps[i]) || !opt.canJudge(f, sm) {
				continue
			}
			v := Verdict{Case: c.ID(), SM: sm, Step: i + 1, Facet: f, Follows: rec.follows(i)}
			if skip, ok := s.skip(c.ID(), sm, f); ok {
				v.Skip = skip.String()
			} else {
				wanted = true
			}
			verdicts = append(verdicts, v)
		}
		if wanted {
			got, err := linker.Run(ctx, link.Before, link.Argv)
			if err != nil {
				return nil, functions, err
			}
			for name, want := range rec.Steps[i].Files {
				functions.Add(codematch.Compare(want, got.Files[name]).Count)
			}
			expect := opt.Release.expects(corpus, c, sm, i, &rec.Steps[i], got)
			for j := range verdicts {
				v := &verdicts[j]
				v.Class = got.Class()
				v.Differences = JudgeLink(ctx, v.Facet, expect, link, &rec.Steps[i], got)
				if v.Facet == FacetDevice && len(v.Differences) == 0 {
					if v.Differences, err = judgeOnDevice(ctx, opt.Device, &rec.Steps[i], got); err != nil {
						return nil, functions, err
					}
				}
				noteCauses(v.Differences, &rec.Steps[i], got)
			}
		}
		out = append(out, verdicts...)
	}
	return out, functions, nil
}

// linksOf counts the links of units.
func linksOf(units []unit) (n int) {
	for _, u := range units {
		n += len(u.c.Steps)
	}
	return n
}
