package suite

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"

	"github.com/culink/culink/conformance/attempt"
	"github.com/culink/culink/linker/arch"
)

// The corpus also stores outcomes of other releases, if they differ from those of an earlier release. They are in a
// folder beside the recording with the name of the release:
//
//	sm_80/13.4/1.exit, 1.stdout, 1.stderr, 1.out/..., 1.marks
//
// If a step has no 1.exit in that folder, its outcome is that of the newest earlier release with a stored outcome, but
// with the notes of its own release (KIT-087). The recording counts as the first such release. Two kinds of outcomes are
// not derived from others. They are stored or unknown:
//   - Outcomes of older releases, which cannot link objects of the recordings' release. The folder is then a separate
//     recording, with 12.4/in and 12.4/1.argv. It may be for a target that only older releases support.
//   - Outcomes for targets whose code is finalized, because finalized code changes with each release.

// ErrNotRecorded means that the corpus has no outcome of a release for a case.
var ErrNotRecorded = errors.New("nothing is recorded")

// finalizedFrom is the first architecture whose code is finalized in a link.
const finalizedFrom = 100

// releaseFolder returns the folder with the outcomes of a release for a case on a target.
func releaseFolder(c *Case, sm string, p *arch.Profile) string {
	return path.Join(c.ID(), "sm_"+sm, p.Short())
}

// IsOlder reports whether a release is older than that of the recordings. p is nil for the release of the recordings.
func IsOlder(p *arch.Profile) bool { return p != nil && p.API < arch.Default.API }

// TargetsWith returns the targets of a case for a release. An older release may have additional targets: those for which
// it is recorded, and those in named.
func TargetsWith(corpus fs.FS, c *Case, p *arch.Profile, named []string) []string {
	if !IsOlder(p) {
		return c.Targets
	}
	targets := slices.Clone(c.Targets)
	for _, a := range p.Architectures {
		sm := strconv.Itoa(a.Number)
		if !slices.Contains(targets, sm) && (slices.Contains(named, sm) || IsRecordedOf(corpus, c, sm, p)) {
			targets = append(targets, sm)
		}
	}
	return slices.DeleteFunc(targets, func(sm string) bool {
		_, links := p.Parse("sm_" + sm)
		return !links
	})
}

// Follows reports whether the outcomes of a release on a target are derived from those of earlier releases, if the
// corpus does not store them.
func Follows(p *arch.Profile, sm string) bool {
	t, ok := p.Parse("sm_" + sm)
	return ok && p.API > arch.Default.API && t.Number < finalizedFrom
}

// IsRecordedOf reports whether the corpus stores or derives the outcomes of a release for c on a target.
func IsRecordedOf(corpus fs.FS, c *Case, sm string, p *arch.Profile) bool {
	if p == arch.Default || Follows(p, sm) {
		return true
	}
	_, err := fs.Stat(corpus, path.Join(releaseFolder(c, sm, p), "1.exit"))
	return err == nil
}

// LoadRecordingOf reads the outcomes of a release for c on a target. It fails with [ErrNotRecorded] if there are none.
func LoadRecordingOf(ctx context.Context, corpus fs.FS, c *Case, sm string, p *arch.Profile) (*Recording, error) {
	if !IsRecordedOf(corpus, c, sm, p) {
		return nil, fmt.Errorf("%s: sm_%s: %w of %s", c.ID(), sm, ErrNotRecorded, p.Version)
	}
	if IsOlder(p) {
		return loadRecording(corpus, releaseFolder(c, sm, p), c, sm)
	}
	rec, err := LoadRecording(corpus, c, sm)
	if err != nil || p == arch.Default {
		return rec, err
	}
	rec.Follows = make([]bool, len(rec.Steps))
	for i := range rec.Steps {
		own, err := loadOutcome(corpus, path.Join(releaseFolder(c, sm, p), strconv.Itoa(i+1)))
		if err == nil {
			rec.Steps[i] = *own
			continue
		}
		if !errors.Is(err, fs.ErrNotExist) || !Follows(p, sm) {
			return nil, err
		}
		rec.Follows[i] = true
		if rec.Steps[i], err = Inherited(ctx, corpus, c, sm, i, attempt.Link{Before: rec.Before(i), Argv: c.Argv(i, sm), Toolkit: p, Platform: c.Platform}, rec.Steps[i]); err != nil {
			return nil, err
		}
	}
	return rec, nil
}

// Inherited returns the outcome of a step for a release without a stored outcome. It is that of the newest earlier
// release, with the notes of link's release. recorded is the outcome of the recordings' release.
func Inherited(ctx context.Context, corpus fs.FS, c *Case, sm string, step int, link attempt.Link, recorded attempt.Outcome) (attempt.Outcome, error) {
	p := link.Toolkit
	for _, earlier := range slices.Backward(arch.Releases()) {
		if earlier.API >= p.API || !Follows(earlier, sm) {
			continue
		}
		o, err := loadOutcome(corpus, path.Join(releaseFolder(c, sm, earlier), strconv.Itoa(step+1)))
		if err == nil {
			return stamped(ctx, *o, earlier, link), nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return attempt.Outcome{}, err
		}
	}
	return stamped(ctx, recorded, arch.Default, link), nil
}
