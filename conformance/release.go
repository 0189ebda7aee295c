package conformance

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/culink/culink/conformance/attempt"
	"github.com/culink/culink/conformance/sandbox"
	"github.com/culink/culink/conformance/suite"
	"github.com/culink/culink/conformance/tools"
	"github.com/culink/culink/linker/arch"
	"github.com/culink/culink/linker/option"
	"github.com/culink/culink/linker/platform"
)

// The corpus is recorded with one release of nvlink. Of the others it holds what differs from
// that (otherrelease.go). Where their nvlink is at hand it is asked instead: each step is linked by it
// as well, from the same inputs, and what it does stands in the place of the recording.

// A Release is another release than that of the recordings.
type Release struct {
	Profile *arch.Profile
	Oracle  string          // folder with its tools in bin; empty where only the recordings answer
	NoTools error           // why only they do
	NVLink  *sandbox.Linker // of that release; nil likewise, and for a release whose nvlink nobody has (KIT-083)
}

// FindRelease finds the release that a version names; nil for that of the recordings. Its tools
// are in the folder oracle, or in its folder beside CULINK_ORACLE ([tools.Beside]); where that is
// not, only the recordings answer, and NoTools says which folders there were not.
func FindRelease(ctx context.Context, version, oracle string) (*Release, error) {
	if oracle == "" && suite.CheckToolkit(version) == nil {
		return nil, nil
	}
	profile, err := arch.Find(cmp.Or(version, suite.Toolkit))
	if err != nil {
		return nil, err
	}
	if oracle == "" {
		if oracle, err = tools.Beside(os.Getenv("CULINK_ORACLE"), profile); errors.Is(err, fs.ErrNotExist) {
			return &Release{Profile: profile, NoTools: err}, nil
		} else if err != nil {
			return nil, err
		}
	}
	return NewRelease(ctx, profile.Version, oracle)
}

// Set lets a linker under test stand in for the release, if it is culink.
func (r *Release) Set(l *sandbox.Linker) {
	if r != nil {
		l.Env = append(l.Env, option.ToolkitVariable+"="+r.Profile.Version)
	}
}

// NewRelease finds the release of a version whose tools are in a folder.
func NewRelease(ctx context.Context, version, oracle string) (*Release, error) {
	profile, err := arch.Find(version)
	if err != nil {
		return nil, err
	}
	if profile.Interpolated {
		return &Release{Profile: profile, Oracle: oracle}, nil
	}
	nvlink := &sandbox.Linker{Command: []string{filepath.Join(oracle, "bin", "nvlink")}, Limits: sandbox.DefaultLimits}
	said, err := nvlink.Run(ctx, nil, []string{"--version"})
	if err == nil && said.Exit != 0 {
		err = fmt.Errorf("exit status %d", said.Exit)
	}
	if err != nil {
		return nil, fmt.Errorf("nvlink of %s in %s: %w", profile.Version, oracle, err)
	}
	return &Release{Profile: profile, Oracle: oracle, NVLink: nvlink}, nil
}

// load reads what a case has to do with the release on a target.
func (r *Release) load(ctx context.Context, corpus fs.FS, c *suite.Case, sm string) (*suite.Recording, error) {
	if r == nil {
		return suite.LoadRecording(corpus, c, sm)
	}
	if r.NVLink == nil {
		return suite.LoadRecordingOf(ctx, corpus, c, sm, r.Profile)
	}
	rec, err := suite.LoadRecordingOf(ctx, corpus, c, sm, r.Profile)
	if errors.Is(err, suite.ErrNotRecorded) {
		rec, err = suite.LoadRecording(corpus, c, sm)
	}
	if err != nil {
		return nil, err
	}
	rec.Follows = nil
	steps := len(rec.Steps)
	rec.Steps = nil
	for i := range steps {
		o, err := r.NVLink.Run(ctx, rec.Before(i), c.Argv(i, sm))
		if err != nil {
			return nil, err
		}
		rec.Steps = append(rec.Steps, *o)
	}
	return rec, nil
}

// expects is what step of c asks of a linker. Where the recorded nvlink died, a case expects an error; where that of
// the release does not die, a link is right as well, if it is what nvlink's is. Where the recorded one links, a case may
// expect right code; where that of the release refuses, so does a linker.
func (r *Release) expects(corpus fs.FS, c *suite.Case, sm string, step int, want, got *attempt.Outcome) suite.Expectation {
	if r != nil && c.Expect == suite.ExpectRecorded && want.Class() == attempt.ClassCrash && got.Class() != attempt.ClassCrash {
		return suite.ExpectCleanError // the nvlink of the release dies where the recorded one does not
	}
	links := c.Expect == suite.ExpectCleanError && want.Exit == 0 && got.Exit == 0
	refuses := c.Expect == suite.ExpectRightCode && want.Exit != 0 && want.Class() == attempt.ClassEnd
	if r == nil || !links && !refuses {
		return c.Expect
	}
	recorded, err := suite.LoadRecording(corpus, c, sm)
	if err != nil || links && recorded.Steps[step].Class() != attempt.ClassCrash || refuses && recorded.Steps[step].Exit != 0 {
		return c.Expect
	}
	return suite.ExpectRecorded
}

// targets are those of a case on which the corpus, or the release's nvlink, can say what it has to do.
func (r *Release) targets(corpus fs.FS, c *suite.Case) []string {
	if r == nil {
		return c.Targets
	}
	if c.Platform != platform.Linux.Name {
		return nil // recorded of one release alone
	}
	targets := suite.TargetsWith(corpus, c, r.Profile, nil)
	if r.NVLink != nil {
		return targets
	}
	return slices.DeleteFunc(slices.Clone(targets), func(sm string) bool { return !suite.IsRecordedOf(corpus, c, sm, r.Profile) })
}

// profile is that of the release; nil for none.
func (r *Release) profile() *arch.Profile {
	if r == nil {
		return nil
	}
	return r.Profile
}

// version is that of the release, or that of the recordings.
func (r *Release) version() string {
	if r == nil {
		return suite.Toolkit
	}
	return r.Profile.Version
}
