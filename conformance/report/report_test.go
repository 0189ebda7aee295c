package report

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/culink/culink/conformance/attempt"
	"github.com/culink/culink/conformance/confine"
	"github.com/culink/culink/conformance/judge"
	"github.com/culink/culink/conformance/plan"
	"github.com/culink/culink/conformance/suite"
	"pgregory.net/rapid"
)

// drawReport draws a random report: every facet of some steps, some of which fail.
func drawReport(t *rapid.T) *Report {
	r := &Report{Toolkit: suite.Toolkit, Facets: judge.Facets}
	for _, area := range []string{"a", "b"} {
		for c := range rapid.IntRange(0, 3).Draw(t, "cases") {
			for _, sm := range []string{"80", "90", "90a"} {
				for step := range rapid.IntRange(1, 2).Draw(t, "steps") {
					for _, f := range judge.Facets {
						v := judge.Verdict{Case: fmt.Sprintf("%s/%d", area, c), SM: sm, Step: step + 1, Facet: f}
						if rapid.IntRange(0, 2).Draw(t, "fails") > 0 {
							v.Differences = []judge.Difference{{Facet: f, Key: "key", Want: "want\n'\"<", Got: "got"}}
							v.Class = rapid.SampledFrom([]attempt.Class{attempt.ClassEnd, attempt.ClassCrash, attempt.ClassHang}).Draw(t, "class")
						}
						r.Verdicts = append(r.Verdicts, v)
					}
				}
			}
		}
	}
	return r
}

// casesOf returns cases with the names and targets of a report.
func casesOf(r *Report) []*suite.Case {
	var out []*suite.Case
	for _, v := range r.Verdicts {
		area, name, _ := strings.Cut(v.Case, "/")
		if n := len(out); n == 0 || out[n-1].ID() != v.Case {
			out = append(out, &suite.Case{Area: area, Name: name})
		}
		c := out[len(out)-1]
		if !slices.Contains(c.Targets, v.SM) {
			c.Targets = append(c.Targets, v.SM)
		}
	}
	return out
}

// The skips of a script cover every failure of the report and nothing else. With them the same run passes, and all of
// them are needed.
func TestScriptSkipsWhatFails(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := drawReport(t)
		var s plan.Selection
		for _, k := range r.KnownFailures() {
			skip, err := plan.ParseSkip(k.Skip.String())
			if err != nil {
				t.Fatal(err)
			}
			s.Skips = append(s.Skips, skip)
		}
		for i := range r.Verdicts {
			v := &r.Verdicts[i]
			if skip, ok := s.Skip(v.Case, v.SM, v.Facet); ok {
				v.Skip = skip.String()
			}
		}
		if r.Failed() > 0 {
			t.Fatalf("%d still fail with %v", r.Failed(), s.Skips)
		}
		if stale := s.StaleSkips(casesOf(r), r.Verdicts); stale != nil {
			t.Fatalf("stale: %v", stale)
		}
		// If a step and the other steps of its case are fixed, the skip becomes stale.
		if len(r.Verdicts) == 0 {
			return
		}
		mended := rapid.SampledFrom(r.Verdicts).Draw(t, "mended")
		if mended.Skip == "" {
			return
		}
		for i := range r.Verdicts {
			v := &r.Verdicts[i]
			if v.Case == mended.Case && v.SM == mended.SM && v.Facet == mended.Facet {
				v.Differences = nil
			}
		}
		if stale := s.StaleSkips(casesOf(r), r.Verdicts); len(stale) != 1 || stale[0].Skip != mended.Skip {
			t.Fatalf("mended %s: stale %v", mended.Name(), stale)
		}
	})
}

// Merged shards give the report of the whole run, byte for byte.
func TestMergeUndoesShards(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		whole := drawReport(t)
		total := rapid.IntRange(1, 4).Draw(t, "shards")
		var names []string
		reports := make([]*Report, total)
		for i := range reports {
			shard := plan.Shard{Index: i + 1, Total: total}
			names = append(names, shard.String())
			part := &Report{Toolkit: suite.Toolkit, Facets: judge.Facets, Shard: shard.String()}
			units := plan.Selection{Shard: shard}.Units(casesOf(whole))
			for _, v := range whole.Verdicts {
				if slices.ContainsFunc(units, func(u plan.Unit) bool { return u.Case.ID() == v.Case && u.SM == v.SM }) {
					part.Verdicts = append(part.Verdicts, v)
				}
			}
			var text bytes.Buffer
			if err := part.WriteJSON(&text); err != nil {
				t.Fatal(err)
			}
			var err error
			if reports[i], err = ReadReport(names[i], &text); err != nil {
				t.Fatal(err)
			}
		}
		if rapid.Bool().Draw(t, "reversed") {
			slices.Reverse(names)
			slices.Reverse(reports)
		}
		merged, err := Merge(names, reports)
		if err != nil {
			t.Fatal(err)
		}
		var want, got bytes.Buffer
		if err := whole.WriteJSON(&want); err != nil {
			t.Fatal(err)
		}
		if err := merged.WriteJSON(&got); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(want.Bytes(), got.Bytes()) {
			t.Fatalf("whole:\n%s\nmerged:\n%s", &want, &got)
		}
	})
}

func TestMergeRefuses(t *testing.T) {
	report := func(shard string, cases ...string) *Report {
		r := &Report{Toolkit: suite.Toolkit, Shard: shard}
		for _, c := range cases {
			r.Verdicts = append(r.Verdicts, judge.Verdict{Case: c, SM: "80", Step: 1, Facet: judge.FacetExit})
		}
		return r
	}
	other := report("")
	other.Toolkit = "12.4"
	for _, c := range []struct {
		want    string
		reports []*Report
	}{
		{"shard 2/3 is missing", []*Report{report("1/3"), report("3/3")}},
		{"are both shard 1/2", []*Report{report("1/2"), report("1/2")}},
		{"shard 1/3, others are of 2", []*Report{report("1/2"), report("1/3")}},
		{"two reports judge a/b sm_80 step 1 exit", []*Report{report("", "a/b"), report("", "a/b")}},
		{"about toolkit", []*Report{report(""), other}},
	} {
		names := make([]string, len(c.reports))
		if _, err := Merge(names, c.reports); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want %q", err, c.want)
		}
	}
	for text, want := range map[string]string{
		"":   "EOF",
		"{}": "not a report",
		`{"toolkit":"1","verdicts":[{"case":"a/b","facet":"taste"}]}`:                                   "not a verdict",
		`{"toolkit":"1","verdicts":[{"case":"a","facet":"exit"}]}`:                                      "not a verdict",
		`{"toolkit":"1","library":true,"facets":["result"],"verdicts":[{"case":"a/b","facet":"exit"}]}`: "not a verdict",
	} {
		if _, err := ReadReport("f", strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", text, err, want)
		}
	}
}

// The stored report of a library has facets of its own (CONF-086).
func TestReadReportOfLibrary(t *testing.T) {
	r, err := ReadReport("f", strings.NewReader(`{"toolkit":"1","library":true,"facets":["result"],"verdicts":[{"case":"a/b","facet":"result"}]}`))
	if err != nil || len(r.Verdicts) != 1 {
		t.Errorf("report %+v, %v", r, err)
	}
}

// JUnit and TAP show the same result for every verdict as the report.
func TestFormsForBuildServers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := drawReport(t)
		skipped := 0
		for i := range r.Verdicts {
			if rapid.IntRange(0, 4).Draw(t, "skip") == 0 {
				r.Verdicts[i].Skip = "a:exit"
				skipped++
			}
		}
		var text bytes.Buffer
		if err := r.WriteJUnit(&text); err != nil {
			t.Fatal(err)
		}
		var suites junitSuites
		if err := xml.Unmarshal(text.Bytes(), &suites); err != nil {
			t.Fatal(err)
		}
		tests, failures, skips := 0, 0, 0
		for _, s := range suites.Suites {
			tests, failures, skips = tests+s.Tests, failures+s.Failures, skips+s.Skipped
			if s.Tests != len(s.Cases) {
				t.Errorf("suite %s says %d tests, has %d", s.Name, s.Tests, len(s.Cases))
			}
		}
		if tests != len(r.Verdicts) || failures != r.Failed() || skips != skipped {
			t.Errorf("%d tests, %d failures, %d skipped; want %d, %d, %d", tests, failures, skips, len(r.Verdicts), r.Failed(), skipped)
		}
		text.Reset()
		if err := r.WriteTAP(&text); err != nil {
			t.Fatal(err)
		}
		ok, notOK := 0, 0
		for line := range strings.Lines(text.String()) {
			switch {
			case strings.HasPrefix(line, "ok "):
				ok++
			case strings.HasPrefix(line, "not ok "):
				notOK++
			}
		}
		if plan := fmt.Sprintf("1..%d\n", len(r.Verdicts)); !strings.Contains(text.String(), plan) || notOK != r.Failed() || ok+notOK != len(r.Verdicts) {
			t.Errorf("%d ok, %d not ok in\n%s", ok, notOK, &text)
		}
	})
}

// Each form of a report lists the restrictions that confined the linker, and those that did not work on this system
// (CONF-063).
func TestConfinementIsTold(t *testing.T) {
	const open = confine.NotHeld + ": reading and writing of files"
	r := &Report{Toolkit: suite.Toolkit, Confinement: "no sockets; " + open, Facets: []judge.Facet{judge.FacetExit}, Verdicts: []judge.Verdict{{Case: "a/b", SM: "80", Step: 1, Facet: judge.FacetExit}}}
	for form, write := range map[string]func(io.Writer) error{"text": r.WriteTable, "TAP": r.WriteTAP, "JUnit": r.WriteJUnit, "JSON": r.WriteJSON} {
		var b strings.Builder
		if err := write(&b); err != nil || !strings.Contains(b.String(), "no sockets; "+open) {
			t.Errorf("%s: %v in %s", form, err, b.String())
		}
	}
	r.Left = []string{"/tmp/x: it stays"} // CONF-064
	var summary strings.Builder
	if err := r.WriteSummary(&summary); err != nil || summary.String() != "not removed: /tmp/x: it stays\n" {
		t.Errorf("%v, %s", err, summary.String())
	}
	if got := r.NotHeld(); got != "reading and writing of files" {
		t.Errorf("not held: %q", got)
	}
	if got := confine.Describe(true); !strings.Contains(got, confine.NotHeld+": files, ") || !strings.Contains(got, "-trust") && runtime.GOOS == "linux" {
		t.Errorf("of a linker that is trusted: %s", got)
	}
}
