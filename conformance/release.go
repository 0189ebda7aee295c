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
	"github.com/culink/culink/conformance/late"
	"github.com/culink/culink/conformance/sandbox"
	"github.com/culink/culink/conformance/suite"
	"github.com/culink/culink/conformance/tools"
	"github.com/culink/culink/linker/arch"
	"github.com/culink/culink/linker/option"
	"github.com/culink/culink/linker/platform"
)

// The corpus holds the recordings of one release of nvlink, and the differences of other releases. If nvlink of another
// release is installed, it links each step from the same inputs, and its outcome replaces the recording.

// A Release is a release of the CUDA toolkit other than that of the recordings.
type Release struct {
	Profile *arch.Profile
	Oracle  string          // folder whose subfolder bin has its tools; empty if only recordings are available
	NoTools error           // why only they do
	NVLink  *sandbox.Linker // its nvlink; nil if only recordings are available, or if the release has no public nvlink (KIT-083)
}

// FindRelease returns the release of a version, or nil for that of the recordings. Its tools are in the folder oracle,
// or in a folder beside that of CULINK_ORACLE ([tools.Beside]). If there are none, only recordings are available, and
// NoTools lists the folders that were searched.
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

// Set makes a linker under test emulate the release if the linker is culink.
func (r *Release) Set(l *sandbox.Linker) {
	if r != nil {
		l.Env = append(l.Env, option.ToolkitVariable+"="+r.Profile.Version)
	}
}

// NewRelease returns the release of a version. oracle is the folder with its tools.
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
	switch {
	case err != nil:
	case said.Exit != 0:
		err = fmt.Errorf("exit status %d", said.Exit)
	default:
		err = isOf(profile, string(said.Stdout))
	}
	if err != nil {
		return nil, fmt.Errorf("nvlink of %s in %s: %w", profile.Version, oracle, err)
	}
	return &Release{Profile: profile, Oracle: oracle, NVLink: nvlink}, nil
}

// versionOf matches the version in the output of nvlink --version.
var versionOf = late.Regexp(`\bV([0-9]+\.[0-9]+\.[0-9]+)\b`)

// isOf checks that nvlink is of release p. printed is its output for --version. If culink does not know the build, it
// counts as the release that [arch.Find] returns for it. A substitute for nvlink that prints no version can be of any
// release.
func isOf(p *arch.Profile, printed string) error {
	found := versionOf().FindStringSubmatch(printed)
	if found == nil {
		return nil
	}
	if is, err := arch.Find(found[1]); err != nil || is != p {
		return fmt.Errorf("it is of %s", found[1])
	}
	return nil
}

// load returns the wanted outcomes of a case on a target.
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

// expects returns the expectation for a step of c. It may differ from that of the case in three situations. If the
// release's nvlink crashes where the recorded one does not, a clean error is expected. If a case expects an error
// because the recorded nvlink crashed, and both the release and the linker link the step, the outcome of the release is
// expected. The same is expected if a case expects correct code where the recorded nvlink links, and the release rejects
// the link.
func (r *Release) expects(corpus fs.FS, c *suite.Case, sm string, step int, want, got *attempt.Outcome) suite.Expectation {
	if r != nil && c.Expect == suite.ExpectRecorded && want.Class() == attempt.ClassCrash && got.Class() != attempt.ClassCrash {
		return suite.ExpectCleanError // the nvlink of the release crashes where the recorded one does not
	}
	links := c.Expect == suite.ExpectCleanError && want.Exit == 0 && got.Exit == 0
	refuses := c.Expect == suite.ExpectRightCode && want.Exit != 0 && want.Class() == attempt.ClassEnd
	if r == nil || !links && !refuses {
		return c.Expect
	}
	if !slices.Contains(c.Targets, sm) { // only the release is recorded for it
		sm = c.Targets[0]
	}
	recorded, err := suite.LoadRecording(corpus, c, sm)
	if err != nil || links && recorded.Steps[step].Class() != attempt.ClassCrash || refuses && recorded.Steps[step].Exit != 0 {
		return c.Expect
	}
	return suite.ExpectRecorded
}

// targets returns the targets of a case for which there are outcomes, from the corpus or from the nvlink of the release.
func (r *Release) targets(corpus fs.FS, c *suite.Case) []string {
	if r == nil {
		return c.Targets
	}
	if c.Platform != platform.Linux.Name {
		return nil // recorded for one release only
	}
	targets := suite.TargetsWith(corpus, c, r.Profile, nil)
	if r.NVLink != nil {
		return targets
	}
	return slices.DeleteFunc(slices.Clone(targets), func(sm string) bool { return !suite.IsRecordedOf(corpus, c, sm, r.Profile) })
}

// OtherProfile returns the profile of the release, or nil if there is no release other than that of the recordings.
func (r *Release) OtherProfile() *arch.Profile {
	if r == nil {
		return nil
	}
	return r.Profile
}

// version returns the version of the release, or that of the recordings.
func (r *Release) version() string {
	if r == nil {
		return suite.Toolkit
	}
	return r.Profile.Version
}
