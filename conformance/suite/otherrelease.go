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

// What another release did stands in a folder of its name beside the recording, where it is not
// what an earlier one did:
//
//	sm_80/13.4/1.exit, 1.stdout, 1.stderr, 1.out/..., 1.marks
//
// A step that has no 1.exit there is what the newest earlier release did, from that of the recordings on, but
// for the notes, which say the release (KIT-087). Two kinds of outcomes follow from no other, and are
// all stored or not known: those of releases before that of the recordings, which cannot link its objects, so that
// the folder is a recording of its own, with 12.4/in and 12.4/1.argv, also for targets that only these releases
// have; and those of targets whose code is finalized, which changes with each release.

// ErrNotRecorded says that the corpus does not know what a release does with a case.
var ErrNotRecorded = errors.New("nothing is recorded")

// finalizedFrom is the first architecture whose code a link finalizes.
const finalizedFrom = 100

// releaseFolder is the folder of what a release did with a case on a target.
func releaseFolder(c *Case, sm string, p *arch.Profile) string {
	return path.Join(c.ID(), "sm_"+sm, p.Short())
}

// IsOlder reports whether a release is from before that of the recordings; nil is that one.
func IsOlder(p *arch.Profile) bool { return p != nil && p.API < arch.Default.API }

// TargetsWith are the targets of a case with a release: with an older one also those that are
// recorded of it or named, for which only such a release links.
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

// Follows reports whether what a release does on a target follows, where nothing else is
// stored, from what an earlier one did.
func Follows(p *arch.Profile, sm string) bool {
	t, ok := p.Parse("sm_" + sm)
	return ok && p.API > arch.Default.API && t.Number < finalizedFrom
}

// IsRecordedOf reports whether the corpus knows what a release does with c on a target.
func IsRecordedOf(corpus fs.FS, c *Case, sm string, p *arch.Profile) bool {
	if p == arch.Default || Follows(p, sm) {
		return true
	}
	_, err := fs.Stat(corpus, path.Join(releaseFolder(c, sm, p), "1.exit"))
	return err == nil
}

// LoadRecordingOf reads what a release did with c on a target.
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

// Inherited is what a release does in a step of which nothing of its own is stored: what the newest
// earlier release did, with its notes. recorded is the outcome of the release of the recordings.
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
