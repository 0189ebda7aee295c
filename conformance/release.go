package conformance

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/culink/culink/linker/arch"
	"github.com/culink/culink/linker/option"
)

// The corpus is recorded with one release of nvlink. The others are asked when a linker is
// judged by them: each step is linked by the nvlink of the release as well, from the same
// inputs, and what that does stands in the place of the recording.

// A Release is another release than that of the recordings.
type Release struct {
	Profile *arch.Profile
	Oracle  string  // folder with its tools in bin
	NVLink  *Linker // of that release
}

// FindRelease finds the release that a version names; nil for that of the recordings. Its tools
// are in the folder oracle, or in the one beside CULINK_ORACLE whose name ends in its version.
func FindRelease(ctx context.Context, version, oracle string) (*Release, error) {
	if oracle == "" && CheckToolkit(version) == nil {
		return nil, nil
	}
	profile, err := arch.Find(cmp.Or(version, Toolkit))
	if err != nil {
		return nil, err
	}
	if oracle == "" {
		beside := os.Getenv("CULINK_ORACLE")
		if beside == "" {
			return nil, fmt.Errorf("%w: -oracle FOLDER names the tools of %s", CheckToolkit(version), profile.Version)
		}
		oracle = filepath.Join(filepath.Dir(beside), "oracle-"+profile.Version)
	}
	return NewRelease(ctx, profile.Version, oracle)
}

// Set lets a linker under test stand in for the release, if it is culink.
func (r *Release) Set(l *Linker) {
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
	nvlink := &Linker{Command: []string{filepath.Join(oracle, "bin", "nvlink")}, Limits: DefaultLimits}
	said, err := nvlink.Run(ctx, nil, []string{"--version"})
	if err == nil && said.Exit != 0 {
		err = fmt.Errorf("exit status %d", said.Exit)
	}
	if err != nil {
		return nil, fmt.Errorf("nvlink of %s in %s: %w", profile.Version, oracle, err)
	}
	return &Release{profile, oracle, nvlink}, nil
}

// record replaces the outcomes of a recording by those of the release.
func (r *Release) record(ctx context.Context, rec *Recording, c *Case, sm string) error {
	for i := range rec.Steps {
		o, err := r.NVLink.Run(ctx, rec.Before(i), c.Argv(i, sm))
		if err != nil {
			return err
		}
		rec.Steps[i] = *o
	}
	return nil
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
		return Toolkit
	}
	return r.Profile.Version
}
