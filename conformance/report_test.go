package conformance

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/culink/culink/conformance/confine"
	"github.com/culink/culink/corpus"
	"pgregory.net/rapid"
)

// drawReport draws a report of a run: every facet of some steps, of which some
// fail.
func drawReport(t *rapid.T) *Report {
	r := &Report{Toolkit: Toolkit, Facets: Facets}
	for _, area := range []string{"a", "b"} {
		for c := range rapid.IntRange(0, 3).Draw(t, "cases") {
			for _, sm := range []string{"80", "90", "90a"} {
				for step := range rapid.IntRange(1, 2).Draw(t, "steps") {
					for _, f := range Facets {
						v := Verdict{Case: fmt.Sprintf("%s/%d", area, c), SM: sm, Step: step + 1, Facet: f}
						if rapid.IntRange(0, 2).Draw(t, "fails") > 0 {
							v.Differences = []Difference{{Facet: f, Key: "key", Want: "want\n'\"<", Got: "got"}}
							v.Class = rapid.SampledFrom([]Class{ClassEnd, ClassCrash, ClassHang}).Draw(t, "class")
						}
						r.Verdicts = append(r.Verdicts, v)
					}
				}
			}
		}
	}
	return r
}

// casesOf are cases with the names and targets of a report.
func casesOf(r *Report) []*Case {
	var out []*Case
	for _, v := range r.Verdicts {
		area, name, _ := strings.Cut(v.Case, "/")
		if n := len(out); n == 0 || out[n-1].ID() != v.Case {
			out = append(out, &Case{Area: area, Name: name})
		}
		c := out[len(out)-1]
		if !slices.Contains(c.Targets, v.SM) {
			c.Targets = append(c.Targets, v.SM)
		}
	}
	return out
}

// The skips of a script excuse every failure of the report and nothing else: with
// them the same run passes, and none is stale.
func TestScriptSkipsWhatFails(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := drawReport(t)
		var s Selection
		for _, k := range r.KnownFailures() {
			skip, err := ParseSkip(k.Skip.String())
			if err != nil {
				t.Fatal(err)
			}
			s.Skips = append(s.Skips, skip)
		}
		for i := range r.Verdicts {
			v := &r.Verdicts[i]
			if skip, ok := s.skip(v.Case, v.SM, v.Facet); ok {
				v.Skip = skip.String()
			}
		}
		if r.Failed() > 0 {
			t.Fatalf("%d still fail with %v", r.Failed(), s.Skips)
		}
		if stale := s.stale(casesOf(r), r.Verdicts); stale != nil {
			t.Fatalf("stale: %v", stale)
		}
		// A step that is mended together with the other steps of its case makes the
		// skip stale.
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
		if stale := s.stale(casesOf(r), r.Verdicts); len(stale) != 1 || stale[0].Skip != mended.Skip {
			t.Fatalf("mended %s: stale %v", mended.Name(), stale)
		}
	})
}

func TestStaleSkips(t *testing.T) {
	r := &Report{Verdicts: []Verdict{
		{Case: "a/b", SM: "80", Step: 1, Facet: FacetExit, Skip: "a/b", Differences: []Difference{{}}},
		{Case: "a/b", SM: "80", Step: 1, Facet: FacetBytes, Skip: "a/b"},
		{Case: "a/b", SM: "90", Step: 1, Facet: FacetExit, Skip: "a/b"},
	}}
	s := Selection{Skips: []Skip{{Glob: "a/b"}, {Glob: "a/c"}}}
	got := s.stale(casesOf(r), r.Verdicts)
	want := []StaleSkip{{"a/c", "names no case"}, {"a/b", "a/b sm_90 passes"}}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestParseSkipRefuses(t *testing.T) {
	for text, want := range map[string]string{"a:taste": `unknown facet "taste"`, "[": "bad pattern", "": "bad pattern", ":bytes": "bad pattern"} {
		if _, err := ParseSkip(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %q", text, err, want)
		}
	}
}

// Shards merged are the report of the whole run, byte for byte.
func TestMergeUndoesShards(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		whole := drawReport(t)
		total := rapid.IntRange(1, 4).Draw(t, "shards")
		var names []string
		reports := make([]*Report, total)
		for i := range reports {
			shard := Shard{i + 1, total}
			names = append(names, shard.String())
			part := &Report{Toolkit: Toolkit, Facets: Facets, Shard: shard.String()}
			units := Selection{Shard: shard}.units(casesOf(whole))
			for _, v := range whole.Verdicts {
				if slices.ContainsFunc(units, func(u unit) bool { return u.c.ID() == v.Case && u.sm == v.SM }) {
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
		r := &Report{Toolkit: Toolkit, Shard: shard}
		for _, c := range cases {
			r.Verdicts = append(r.Verdicts, Verdict{Case: c, SM: "80", Step: 1, Facet: FacetExit})
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
		`{"toolkit":"1","verdicts":[{"case":"a/b","facet":"taste"}]}`: "not a verdict",
		`{"toolkit":"1","verdicts":[{"case":"a","facet":"exit"}]}`:    "not a verdict",
	} {
		if _, err := ReadReport("f", strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", text, err, want)
		}
	}
}

// Every link belongs to one shard, and no shard has more than its share.
func TestShardsPartTheCorpus(t *testing.T) {
	cases, err := LoadCases(corpus.Files)
	if err != nil {
		t.Fatal(err)
	}
	all := len(Selection{}.units(cases))
	for _, total := range []int{1, 2, 7} {
		seen := map[unit]int{}
		for i := range total {
			part := Selection{Shard: Shard{i + 1, total}}.units(cases)
			if len(part) < all/total || len(part) > all/total+1 {
				t.Errorf("shard %d/%d has %d of %d", i+1, total, len(part), all)
			}
			for _, u := range part {
				seen[u]++
			}
		}
		if len(seen) != all {
			t.Errorf("%d shards run %d of %d", total, len(seen), all)
		}
		for u, n := range seen {
			if n != 1 {
				t.Errorf("%d shards run %s %d times", total, u.c.ID(), n)
			}
		}
	}
}

func TestShardOfEnvironment(t *testing.T) {
	status := filepath.Join(t.TempDir(), "status")
	for _, c := range []struct {
		index, total string
		want         string
	}{
		{"", "", ""},
		{"0", "3", "1/3"},
		{"2", "3", "3/3"},
		{"3", "3", "error"},
		{"", "3", "error"},
		{"x", "3", "error"},
	} {
		env := map[string]string{"TEST_SHARD_INDEX": c.index, "TEST_TOTAL_SHARDS": c.total, "TEST_SHARD_STATUS_FILE": status}
		s, err := ShardOfEnvironment(func(name string) string { return env[name] })
		got := s.String()
		if err != nil {
			got = "error"
		}
		if got != c.want {
			t.Errorf("%q of %q: %s (%v), want %s", c.index, c.total, got, err, c.want)
		}
	}
	if _, err := os.Stat(status); err != nil {
		t.Errorf("the status file was not touched: %v", err)
	}
	for _, text := range []string{"", "1", "0/2", "3/2", "a/b"} {
		if _, err := ParseShard(text); err == nil {
			t.Errorf("shard %q is accepted", text)
		}
	}
}

// JUnit and TAP say of every verdict what the report says.
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

func TestCheckToolkit(t *testing.T) {
	for version, ok := range map[string]bool{"": true, "13": true, "13.0": true, "13.0.88": true, "1": false, "13.0.8": false, "12.4": false, "13.0.88.1": false} {
		if err := CheckToolkit(version); (err == nil) != ok {
			t.Errorf("%q: %v", version, err)
		}
	}
}

func TestParseFacets(t *testing.T) {
	for list, want := range map[string][]Facet{
		"":                 Facets,
		"image":            {FacetImage},
		"bytes,exit,bytes": {FacetExit, FacetBytes},
	} {
		if got, err := ParseFacets(list); err != nil || !slices.Equal(got, want) {
			t.Errorf("%q: %q, %v; want %q", list, got, err, want)
		}
	}
	if _, err := ParseFacets("exit,taste"); err == nil || !strings.Contains(err.Error(), `unknown facet "taste"`) {
		t.Errorf("error %v", err)
	}
}

// TestConfinementIsTold: CONF-063. Each form says what held, and what did not.
func TestConfinementIsTold(t *testing.T) {
	const open = confine.NotHeld + ": reading and writing of files"
	r := &Report{Toolkit: Toolkit, Confinement: "no sockets; " + open, Facets: []Facet{FacetExit}, Verdicts: []Verdict{{Case: "a/b", SM: "80", Step: 1, Facet: FacetExit}}}
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
