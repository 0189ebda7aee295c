package conformance

import (
	"context"
	"os"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/culink/culink/conformance/attempt"
	"github.com/culink/culink/conformance/plan"
	"github.com/culink/culink/conformance/record"
	"github.com/culink/culink/conformance/report"
	"github.com/culink/culink/conformance/sandbox"
	"github.com/culink/culink/conformance/suite"
	"github.com/culink/culink/conformance/suite/suitetest"
	"github.com/culink/culink/conformance/tools/toolstest"
	"github.com/culink/culink/corpus"
	"github.com/culink/culink/linker/arch"
	"github.com/culink/culink/linker/option"
	"github.com/culink/culink/linker/platform"
)

// culink passes every facet of every case, apart from the differences in waivers.txt. Every waiver is needed.
func TestReferencePassesTheCorpus(t *testing.T) {
	inMemory(t)
	waivers, err := plan.LoadWaivers(corpus.Files, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range platform.All() {
		linker, excused := served(t), waivers
		linker.Env = append(linker.Env, option.PlatformVariable+"="+p.Name)
		if p != platform.Linux {
			excused = nil
		}
		report := runAll(t, linker, plan.Selection{Platform: p.Name}, excused)
		for _, v := range report.Verdicts {
			if !v.Pass() {
				t.Errorf("%s: %s", v.Name(), v.Differences[0])
			}
		}
		for _, w := range report.StaleWaivers {
			t.Errorf("corpus/waivers.txt: %s: %s: delete it", w.Waiver, w.Why)
		}
	}
}

func runAll(t *testing.T, linker *sandbox.Linker, s plan.Selection, waivers []plan.Waiver) *report.Report {
	t.Helper()
	report, err := Run(t.Context(), corpus.Files, linker, s, Options{Waivers: waivers})
	if err != nil {
		t.Fatal(err)
	}
	if len(report.Verdicts) == 0 {
		t.Fatal("nothing was judged")
	}
	return report
}

// Each waiver names a case, also those of other releases (CONF-982). A line that many releases have is asked once.
func TestWaiversOfOtherReleasesNameCases(t *testing.T) {
	cases, err := allCases()
	if err != nil {
		t.Fatal(err)
	}
	var waivers []plan.Waiver
	for _, release := range append(arch.Releases(), releaseOf(t, "13.0.48")) {
		more, err := plan.LoadWaivers(corpus.Files, release)
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range more {
			if !slices.Contains(waivers, w) {
				waivers = append(waivers, w)
			}
		}
	}
	if !slices.ContainsFunc(waivers, func(w plan.Waiver) bool { return strings.HasPrefix(w.Releases, "@") }) {
		t.Error("no waiver is about some releases only")
	}
	targets := func(c *suite.Case) []string { return c.Targets }
	for _, w := range plan.NewWaiverUse(waivers).Stale(plan.Selection{}, nil, nil, targets, cases) {
		if w.Why == "names no case" {
			t.Errorf("%s %s", w.Waiver, w.Why)
		}
	}
}

// nvlink itself passes all cases, except those that expect another result than nvlink's. So the recordings are correct.
func TestLiveToolPassesTheCorpus(t *testing.T) {
	linker := &sandbox.Linker{Command: []string{toolstest.NVLink(t)}, Limits: sandbox.DefaultLimits}
	cases, err := allCases()
	if err != nil {
		t.Fatal(err)
	}
	byChoice := map[string]bool{}
	for _, c := range cases {
		byChoice[c.ID()] = c.Expect != suite.ExpectRecorded
	}
	for _, v := range runAll(t, linker, plan.Selection{}, nil).Verdicts {
		if !byChoice[v.Case] && !v.Pass() {
			t.Errorf("%s: %s", v.Name(), v.Differences[0])
		}
	}
}

// checkout is the corpus with the source files from which its inputs were made.
var checkout = corpus.Plain(os.DirFS("../corpus"))

// Recording a case again gives the same bytes. This test records one case for each way to make inputs; "cuconform record
// -check" records all.
func TestLiveRecordingRepeats(t *testing.T) {
	recorder := &record.Recorder{Oracle: toolstest.Oracle(t), Corpus: checkout, Scripts: os.DirFS("../testscripts"), Limits: sandbox.DefaultLimits}
	for _, id := range []string{"merge/static-functions", "basic/debug-information", "messages/linked-file-is-ignored", "messages/short-file", "options/options-file"} {
		c := suitetest.Case(t, id)
		r, err := recorder.Record(context.Background(), c, "80")
		if err != nil {
			t.Fatal(err)
		}
		changed, err := r.Stored(c, "80").Changed(checkout)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range changed {
			t.Errorf("%s: %s changed", id, name)
		}
	}
}

// The corpus contains a recording for every target of a case, and nothing else.
func TestCorpusIsComplete(t *testing.T) {
	cases, err := suite.LoadAllCases(corpus.Files)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		for _, sm := range c.Targets {
			if _, err := suite.LoadRecording(corpus.Files, c, sm); err != nil {
				t.Error(err)
			}
			name := path.Join(c.ID(), "sm_"+sm)
			target, err := corpus.Read(os.DirFS("../corpus"), name)
			if err != nil {
				t.Error(err)
				continue
			}
			for i, step := range target[""].Steps {
				if argv := c.Argv(i, sm); !slices.Equal(step.Argv, argv) {
					t.Errorf("%s: step %d is stored with %q, and has %q", name, i+1, step.Argv, argv)
				}
			}
		}
		stale, err := record.StaleTargets(corpus.Files, c)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range stale {
			t.Errorf("%s/%s is no target of the case", c.ID(), name)
		}
	}
	const most = 100 << 20 // the size of cuconform, which contains the corpus, has a separate limit (.ci/two-builds.sh)
	whole, err := attempt.ReadTree(checkout, ".")
	if err != nil {
		t.Fatal(err)
	}
	size := 0
	for _, data := range whole {
		size += len(data)
	}
	if size > most {
		t.Errorf("the corpus has %d bytes, more than %d", size, most)
	}
}
