package conformance

import (
	"errors"
	"os"
	"testing"

	"github.com/culink/culink/conformance/judge"
	"github.com/culink/culink/conformance/plan"
	"github.com/culink/culink/conformance/record"
	"github.com/culink/culink/conformance/report"
	"github.com/culink/culink/conformance/sandbox"
	"github.com/culink/culink/conformance/suite"
	"github.com/culink/culink/conformance/suite/suitetest"
	"github.com/culink/culink/conformance/tools"
	"github.com/culink/culink/conformance/tools/toolstest"
	"github.com/culink/culink/corpus"
	"github.com/culink/culink/linker/arch"
)

func releaseOf(t *testing.T, version string) *arch.Profile {
	t.Helper()
	p, err := arch.Find(version)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// If the outcome of another release differs from the recording, the corpus stores it. Otherwise the corpus derives the
// outcome from an earlier release. Some outcomes are neither stored nor derived (KIT-087).
func TestOtherReleases(t *testing.T) {
	for _, tt := range []struct {
		id, sm, version string
		Follows         bool
		err             error
	}{
		{"basic/two-files", "80", "13.0", false, nil},
		{"basic/two-files", "80", "13.5", true, nil},
		{"basic/two-files", "90", "13.5", true, nil}, // its tables of names differ (KIT-022)
		{"constant/constants-joined", "80", "13.5", false, nil},
		{"basic/two-files", "100", "13.5", false, suite.ErrNotRecorded},
		{"basic/two-files", "80", "11.8", false, suite.ErrNotRecorded},
	} {
		rec, err := suite.LoadRecordingOf(t.Context(), corpus.Files, suitetest.Case(t, tt.id), tt.sm, releaseOf(t, tt.version))
		if !errors.Is(err, tt.err) {
			t.Errorf("%s sm_%s of %s: %v, want %v", tt.id, tt.sm, tt.version, err, tt.err)
		}
		if err == nil && rec.FollowsIn(0) != tt.Follows {
			t.Errorf("%s sm_%s of %s follows: %t", tt.id, tt.sm, tt.version, !tt.Follows)
		}
	}
}

// culink passes the corpus of each recorded release. The test links a third of each corpus, or all of it if
// CULINK_ALL_RELEASES is set.
func TestReferencePassesOtherReleases(t *testing.T) {
	inMemory(t)
	linker := served(t)
	parts := 3
	if os.Getenv("CULINK_ALL_RELEASES") != "" {
		parts = 1
	}
	for i, version := range []string{"11.8", "12.4", "13.1", "13.2", "13.3", "13.4", "13.5"} {
		release := &Release{Profile: releaseOf(t, version)}
		other := *linker
		release.Set(&other)
		part := plan.Selection{Cases: []string{"basic", "*/*/sm_1??"}} // for finalized code the corpus only has stored outcomes
		if suite.IsOlder(release.Profile) {                            // only a part of the corpus is recorded
			part = plan.Selection{}
		}
		part.Shard = plan.Shard{Index: i%parts + 1, Total: parts}
		found, err := Run(t.Context(), corpus.Files, &other, part, Options{Release: release})
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range found.Verdicts {
			if !v.Pass() {
				t.Errorf("%s: %s: %s", version, v.Name(), v.Differences[0])
			}
		}
		if n := report.CountLinks(found.Verdicts, func(v judge.Verdict) bool { return v.Follows }); n == 0 != suite.IsOlder(release.Profile) {
			t.Errorf("%s: %d of %d links follow from an earlier release", version, n, found.Links())
		}
	}
}

// The stored and the derived outcomes are the same as those of the release's nvlink.
func TestLiveOtherReleasesRepeat(t *testing.T) {
	reference := toolstest.Oracle(t)
	for _, p := range arch.Releases() {
		folder, err := tools.Beside(reference, p)
		if p == arch.Default || p.Interpolated || err != nil {
			continue
		}
		recorder := &record.Recorder{Oracle: folder, Corpus: checkout, Scripts: os.DirFS("../testscripts"), Limits: sandbox.DefaultLimits, Once: true, Release: p}
		cases := []*suite.Case{suitetest.Case(t, "basic/chain-of-five"), suitetest.Case(t, "shared/extern-alignment-unused"), suitetest.Case(t, "basic/two-files")}
		err = recorder.RecordAll(t.Context(), cases, plan.Selection{}, func(s *suite.Stored) error {
			if s.NotMade != nil { // for example because nvcc 11.8 finds no host compiler
				t.Logf("%s: %v", s.Name(), s.NotMade)
				return nil
			}
			changed, err := s.Changed(checkout)
			for _, name := range changed {
				t.Errorf("%s: %s changed", s.Name(), name)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// NewRelease rejects the tools of another release than the one that is named, because the wrong rules would judge their
// links.
func TestToolsOfTheNamedRelease(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ version, printed, want string }{
		{"13.5", "Cuda compilation tools, release 13.5, V13.5.37\n", ""},
		{"13.5", "Cuda compilation tools, release 13.5, V13.5.99\n", ""}, // taken for 13.5.37
		{"13.2", "Cuda compilation tools, release 13.2, V13.2.86\n", ""},
		{"13.2.78", "Cuda compilation tools, release 13.2, V13.2.86\n", "it is of 13.2.86"},
		{"13.5", "Cuda compilation tools, release 13.0, V13.0.88\n", "it is of 13.0.88"},
		{"13.5", "Cuda compilation tools, release 99.1, V99.1.2\n", "it is of 99.1.2"},
		{"13.5", "a stand-in\n", ""},
	} {
		got := ""
		if err := isOf(releaseOf(t, tt.version), tt.printed); err != nil {
			got = err.Error()
		}
		if got != tt.want {
			t.Errorf("%s, %q: %q, want %q", tt.version, tt.printed, got, tt.want)
		}
	}
}
