package main

import (
	"context"
	"io/fs"
	"path"
	"slices"

	"github.com/culink/culink/conformance"
	"github.com/culink/culink/conformance/judge"
	"github.com/culink/culink/conformance/plan"
	"github.com/culink/culink/conformance/report"
	"github.com/culink/culink/conformance/sandbox"
	"github.com/culink/culink/conformance/suite"
	"github.com/culink/culink/corpus"
	"github.com/culink/culink/linker/arch"
	"github.com/culink/culink/linker/platform"
)

// A question is a case of the corpus, together with the outcomes of one nvlink.
type question struct {
	id      string // "area/name"; of another release than that of the recordings, "area/name@13.5"
	of      *suite.Case
	asks    nvlink
	targets []string
}

// An nvlink is a release of nvlink for a platform.
type nvlink struct {
	release  *conformance.Release // nil is the release of the recordings
	platform string
}

// idOf returns the id of the question for a case.
func idOf(caseID string, release *conformance.Release) string {
	if release == nil {
		return caseID
	}
	return caseID + "@" + release.Profile.Version
}

// listQuestions lists all cases of all platforms, and the stored outcomes of other releases.
func (c *campaign) listQuestions() error {
	all, err := suite.LoadAllCases(corpus.Files)
	if err != nil {
		return err
	}
	stored, err := fs.Glob(corpus.Files, "*/*/sm_*/1?.?")
	if err != nil {
		return err
	}
	for _, p := range platform.All() {
		c.nvlinks = append(c.nvlinks, nvlink{platform: p.Name})
	}
	var cases []*suite.Case // for which other releases may be recorded
	for _, k := range all {
		c.asked = append(c.asked, question{k.ID(), k, nvlink{platform: k.Platform}, k.Targets})
		if k.Platform == platform.Linux.Name {
			cases = append(cases, k)
		}
	}
	var versions []string
	for _, folder := range stored {
		versions = append(versions, path.Base(folder))
	}
	slices.Sort(versions)
	for _, version := range slices.Compact(versions) {
		profile, err := arch.Find(version)
		if err != nil {
			return err
		}
		release := &conformance.Release{Profile: profile}
		asks := nvlink{release, platform.Linux.Name}
		c.nvlinks = append(c.nvlinks, asks)
		for _, k := range cases {
			targets := slices.DeleteFunc(slices.Clone(k.Targets), func(sm string) bool {
				return !slices.Contains(stored, path.Join(k.ID(), "sm_"+sm, version))
			})
			if len(targets) > 0 {
				c.asked = append(c.asked, question{idOf(k.ID(), release), k, asks, targets})
			}
		}
	}
	return nil
}

// units returns the cases and targets of the questions that are about an nvlink.
func (c *campaign) units(asks nvlink, ids []string) map[string]bool {
	only := map[string]bool{}
	for _, q := range c.asked {
		if q.asks == asks && slices.Contains(ids, q.id) {
			for _, sm := range q.targets {
				only[q.of.ID()+"/sm_"+sm] = true
			}
		}
	}
	return only
}

// decisive lists the facets that determine all others.
var decisive = []judge.Facet{judge.FacetExit, judge.FacetMessages, judge.FacetFile, judge.FacetBytes}

// ask runs a linker on the questions about an nvlink, jobs at a time. It calls tell for each case on a target.
func (c *campaign) ask(ctx context.Context, asks nvlink, only map[string]bool, jobs int, linker sandbox.Linker, tell func(done conformance.Progress, passed bool)) (*report.Report, error) {
	asks.release.Set(&linker)
	return conformance.Run(ctx, corpus.Files, &linker, plan.Selection{Platform: asks.platform, Only: only, Facets: decisive}, conformance.Options{
		Waivers: c.waivers, Jobs: jobs, Release: asks.release,
		Progress: func(done conformance.Progress) {
			tell(done, !slices.ContainsFunc(done.Verdicts, func(v judge.Verdict) bool { return !v.Pass() }))
		},
	})
}
