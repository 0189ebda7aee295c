package conformance

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/culink/culink/linker/arch"
)

// The corpus is recorded with one release of nvlink. The others are asked when a linker is
// judged by them: each step is linked by the nvlink of the release as well, from the same
// inputs, and what that does stands in the place of the recording.

// A Release is another release than that of the recordings.
type Release struct {
	Profile *arch.Profile
	NVLink  *Linker // of that release
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
	return &Release{profile, nvlink}, nil
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
