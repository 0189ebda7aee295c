package library

import (
	"slices"
	"strings"

	"github.com/culink/culink/conformance/attempt"
	"github.com/culink/culink/conformance/judge"
	"github.com/culink/culink/conformance/report"
)

// Linking returns the report in the form of a report of a linker, so that it can be stored and shown beside others. A
// case stands for a link, and the file of its recording for an area. It is judged on each facet that an answer to one of
// its calls has. toolkit is the release whose answers are wanted, and waivers is the name of the list of waivers.
func (r *Report) Linking(library, toolkit, waivers string) *report.Report {
	made := &report.Report{Toolkit: toolkit, Linker: library, Library: true, Waivers: waivers}
	for _, f := range Facets {
		made.Facets = append(made.Facets, judge.Facet(f))
	}
	for _, v := range r.Verdicts {
		made.Verdicts = append(made.Verdicts, v.linking()...)
	}
	return made
}

// linking returns the verdict of a case for each facet. A case that was not played has one skipped verdict.
func (v Verdict) linking() (verdicts []judge.Verdict) {
	// The area of a verdict is all of the name before its last slash.
	name := v.Case.recording() + "/" + strings.ReplaceAll(v.Case.Name, "/", " ")
	if len(v.NotRun) > 0 {
		return []judge.Verdict{{Case: name, Step: 1, Facet: judge.Facet(FacetResult), Skip: "what needs " + string(v.NotRun[0])}}
	}
	for _, f := range Facets {
		of := judge.Verdict{Case: name, Step: 1, Facet: judge.Facet(f)}
		for _, d := range v.Differences {
			if d.Facet != f {
				continue
			}
			call, _, _ := strings.Cut(strings.TrimPrefix(d.Call, v.Case.Name+": "), " ")
			of.Differences = append(of.Differences, judge.Difference{Facet: of.Facet, Key: name + ":" + call, Want: d.Want, Got: d.Got})
			if d.Got == crash {
				of.Class = attempt.ClassCrash
			}
		}
		if v.Waived && f.isWaivable() {
			of.Waived = 1
		}
		if of.Differences != nil || v.Case.answers(f) {
			verdicts = append(verdicts, of)
		}
	}
	return verdicts
}

// answers reports whether the recorded answer to a call of the case has a facet.
func (c *Case) answers(f Facet) bool {
	return slices.ContainsFunc(c.Calls, func(call Call) bool { return call.Want[f] != "" })
}
