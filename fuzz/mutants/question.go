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
)

// A question is a case of the corpus, together with the outcomes of one release of nvlink.
type question struct {
	id      string // "area/name"; of another release than that of the recordings, "area/name@13.5"
	of      *suite.Case
	release *conformance.Release
	targets []string
}

// idOf returns the id of the question for a case.
func idOf(caseID string, release *conformance.Release) string {
	if release == nil {
		return caseID
	}
	return caseID + "@" + release.Profile.Version
}

// listQuestions lists all cases, and the stored outcomes of other releases.
func (c *campaign) listQuestions() error {
	cases, err := suite.LoadCases(corpus.Files)
	if err != nil {
		return err
	}
	stored, err := fs.Glob(corpus.Files, "*/*/sm_*/1?.?")
	if err != nil {
		return err
	}
	c.releases = []*conformance.Release{nil}
	for _, k := range cases {
		c.asked = append(c.asked, question{id: k.ID(), of: k, targets: k.Targets})
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
		c.releases = append(c.releases, release)
		for _, k := range cases {
			targets := slices.DeleteFunc(slices.Clone(k.Targets), func(sm string) bool {
				return !slices.Contains(stored, path.Join(k.ID(), "sm_"+sm, version))
			})
			if len(targets) > 0 {
				c.asked = append(c.asked, question{idOf(k.ID(), release), k, release, targets})
			}
		}
	}
	return nil
}

// units returns the cases and targets of the questions that are about a release.
func (c *campaign) units(release *conformance.Release, ids []string) map[string]bool {
	only := map[string]bool{}
	for _, q := range c.asked {
		if q.release == release && slices.Contains(ids, q.id) {
			for _, sm := range q.targets {
				only[q.of.ID()+"/sm_"+sm] = true
			}
		}
	}
	return only
}

// decisive lists the facets that determine all others.
var decisive = []judge.Facet{judge.FacetExit, judge.FacetMessages, judge.FacetFile, judge.FacetBytes}

// ask runs a linker on the questions of a release, jobs at a time. It calls tell for each case on a target.
func (c *campaign) ask(ctx context.Context, release *conformance.Release, only map[string]bool, jobs int, linker sandbox.Linker, tell func(done conformance.Progress, passed bool)) (*report.Report, error) {
	release.Set(&linker)
	return conformance.Run(ctx, corpus.Files, &linker, plan.Selection{Only: only, Facets: decisive}, conformance.Options{
		Waivers: c.waivers, Jobs: jobs, Release: release,
		Progress: func(done conformance.Progress) {
			tell(done, !slices.ContainsFunc(done.Verdicts, func(v judge.Verdict) bool { return !v.Pass() }))
		},
	})
}
