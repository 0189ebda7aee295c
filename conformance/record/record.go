// Package record runs nvlink to make the recordings of the corpus. The corpus contains only recordings, the files
// case.txt, and their sources.
package record

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/culink/culink/conformance/attempt"
	"github.com/culink/culink/conformance/judge"
	"github.com/culink/culink/conformance/late"
	"github.com/culink/culink/conformance/plan"
	"github.com/culink/culink/conformance/recipe"
	"github.com/culink/culink/conformance/sandbox"
	"github.com/culink/culink/conformance/suite"
	"github.com/culink/culink/linker/arch"
	"github.com/rogpeppe/go-internal/lockedfile"
)

// A Recorder makes recordings with NVIDIA's tools.
type Recorder struct {
	Oracle  string // folder with bin/nvcc, bin/ptxas, bin/nvlink
	Corpus  fs.FS
	Scripts fs.FS // folder testscripts, whose texts some cases use
	Limits  sandbox.Limits
	Once    bool // run each step once, to compare it with a recording for which it ran twice
	// Release is the release of the tools, or nil for that of the recordings.
	Release *arch.Profile
	// NVLink is the recorded nvlink of a case for another platform, or nil for that of Oracle.
	NVLink *sandbox.Linker
}

// buildFolder is the folder in which inputs are made. Its name is fixed, because compilers write it into module ids and
// debug information. Recording needs Linux, because NVIDIA's tools do. The process that uses the folder holds buildLock.
// The system releases the lock if that process is killed.
const buildFolder = "/tmp/cuconform-kitchen"

// buildLock returns the path of this user's lock file. No other user can create the file or hold the lock. If another
// user is recording, creating the build folder fails.
func buildLock() (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	folder := filepath.Join(cache, "culink")
	return filepath.Join(folder, "kitchen.lock"), os.MkdirAll(folder, 0o700)
}

// RecordAll records the cases on the targets that s selects, one on each processor at a time. For each result it calls
// the function then, in the order of the corpus. It stops at the first error.
func (r *Recorder) RecordAll(ctx context.Context, cases []*suite.Case, s plan.Selection, then func(*suite.Stored) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	units := s.UnitsOn(cases, func(c *suite.Case) []string { return r.targets(c, s.Targets) })
	recordings := make([]*suite.Stored, len(units))
	failures := make([]error, len(units))
	record := func(i int) {
		if ctx.Err() == nil {
			recordings[i], failures[i] = r.store(ctx, units[i].Case, units[i].SM)
		}
	}
	plan.InOrder(len(units), 0, record, func(i int) {
		err := failures[i]
		if err == nil && ctx.Err() == nil {
			err = then(recordings[i])
		}
		if err != nil {
			cancel(err)
		}
		recordings[i] = nil
	})
	return context.Cause(ctx)
}

// targets returns the targets on which a case is recorded. For another release these are the targets whose outcomes are
// derived or already recorded. All of the named targets that the release supports are added.
func (r *Recorder) targets(c *suite.Case, named []string) []string {
	if r.Release == nil {
		return c.Targets
	}
	return slices.DeleteFunc(slices.Clone(suite.TargetsWith(r.Corpus, c, r.Release, named)), func(sm string) bool {
		_, ok := r.Release.Parse("sm_" + sm)
		return !ok || len(named) == 0 && !suite.IsRecordedOf(r.Corpus, c, sm, r.Release)
	})
}

// store returns the data that the corpus should have for c on a target.
func (r *Recorder) store(ctx context.Context, c *suite.Case, sm string) (*suite.Stored, error) {
	switch {
	case suite.IsOlder(r.Release):
		return r.storeOlder(ctx, c, sm)
	case r.Release != nil:
		return r.storeOf(ctx, c, sm)
	}
	rec, err := r.Record(ctx, c, sm)
	if errors.Is(err, recipe.ErrNoTools) {
		return &suite.Stored{Case: c, SM: sm, NotMade: err}, nil
	}
	if err != nil {
		return nil, err
	}
	return rec.Stored(c, sm), nil
}

// Record makes the inputs of c for a target and runs each step twice with nvlink. If the two outcomes of a step differ,
// the step cannot be a test, and Record fails. Several goroutines may call it.
func (r *Recorder) Record(ctx context.Context, c *suite.Case, sm string) (*suite.Recording, error) {
	inputs, err := r.makeInputs(ctx, c, sm)
	if err != nil {
		return nil, fmt.Errorf("%s: sm_%s: %w", c.ID(), sm, err)
	}
	rec := &suite.Recording{Inputs: inputs}
	for i := range c.Steps {
		o, err := r.runStep(ctx, rec.Before(i), c.Argv(i, sm))
		if err != nil {
			return nil, fmt.Errorf("%s: sm_%s: step %d %w", c.ID(), sm, i+1, err)
		}
		rec.Steps = append(rec.Steps, *o)
	}
	return rec, nil
}

// errNoOutcome means that a step has no outcome that can be recorded.
var errNoOutcome = errors.New("cannot be recorded")

// runStep runs a step with nvlink.
func (r *Recorder) runStep(ctx context.Context, before attempt.Files, argv []string) (*attempt.Outcome, error) {
	nvlink := r.NVLink
	if nvlink == nil {
		nvlink = &sandbox.Linker{Command: []string{filepath.Join(r.Oracle, "bin", "nvlink")}, Limits: r.Limits}
	}
	o, err := nvlink.Run(ctx, before, argv)
	if err != nil {
		return nil, err
	}
	if class := o.Class(); class != attempt.ClassEnd {
		return nil, fmt.Errorf("%w: nvlink does not end by itself (%s): the corpus holds no such input", errNoOutcome, class)
	}
	if !r.Once {
		again, err := nvlink.Run(ctx, before, argv)
		if err != nil {
			return nil, err
		}
		if d := judge.FirstDifference(o, again); d != nil {
			return nil, fmt.Errorf("%w: it does not repeat: %s", errNoOutcome, d)
		}
	}
	if len(o.Removed) > 0 {
		return nil, fmt.Errorf("%w: it removes %q", errNoOutcome, o.Removed)
	}
	return o, nil
}

func (r *Recorder) makeInputs(ctx context.Context, c *suite.Case, sm string) (attempt.Files, error) {
	leave, err := enterBuildFolder(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	k := &recipe.Toolchain{Dir: buildFolder, SM: sm, Oracle: r.Oracle, Scripts: r.Scripts}
	sources, err := r.sources(c)
	if err != nil {
		return nil, err
	}
	if suite.IsOlder(r.Release) {
		lowerPTX(sources, r.Release)
	}
	if err := sources.Write(k.Dir); err != nil {
		return nil, err
	}
	for name := range sources {
		if err := os.Chtimes(filepath.Join(k.Dir, name), attempt.LongAgo, attempt.LongAgo); err != nil {
			return nil, err
		}
	}
	inputs := attempt.Files{}
	for _, recipe := range c.Inputs {
		if inputs[recipe.Output], err = k.Make(ctx, recipe); err != nil {
			return nil, err
		}
		if bytes.Contains(inputs[recipe.Output], []byte(filepath.Join(r.Oracle, "bin"))) {
			// With -lineinfo, the line table names the toolkit's headers whose inline functions it contains, and their
			// dates. So the input repeats only with this copy of the toolkit.
			return nil, fmt.Errorf("make %s: it names the folder %s, and repeats only there", recipe.Output, r.Oracle)
		}
	}
	for _, name := range c.Drop {
		delete(inputs, name)
	}
	return inputs, nil
}

// ptxVersion matches the directive with the PTX version.
var ptxVersion = late.Regexp(`(?m)^\.version\s+(\d+)\.(\d+)`)

// lowerPTX lowers the PTX version of sources to the newest version that a release supports.
func lowerPTX(sources attempt.Files, p *arch.Profile) {
	for name, text := range sources {
		sources[name] = ptxVersion().ReplaceAllFunc(text, func(directive []byte) []byte {
			words := ptxVersion().FindSubmatch(directive)
			version, err := strconv.Atoi(string(slices.Concat(words[1], words[2])))
			if err != nil || version <= p.PTX() {
				return directive
			}
			return fmt.Appendf(nil, ".version %d.%d", p.PTX()/10, p.PTX()%10)
		})
	}
}

// enterBuildFolder waits until the build folder is free and creates it anew, because a killed recording leaves files
// there. If it fails, it holds no lock.
func enterBuildFolder(ctx context.Context) (leave func(), err error) {
	file, err := buildLock()
	if err != nil {
		return nil, err
	}
	unlock, err := lock(ctx, file)
	if err != nil {
		return nil, err
	}
	leave = func() {
		os.RemoveAll(buildFolder)
		unlock()
	}
	if err := os.RemoveAll(buildFolder); err != nil {
		unlock()
		return nil, err
	}
	if err := os.Mkdir(buildFolder, 0o777); err != nil {
		unlock()
		return nil, err
	}
	return leave, nil
}

// lock waits for the lock on a file. If ctx ends first, the lock is released as soon as it is obtained.
func lock(ctx context.Context, path string) (unlock func(), err error) {
	type outcome struct {
		unlock func()
		err    error
	}
	locked := make(chan outcome, 1)
	go func() {
		unlock, err := lockedfile.MutexAt(path).Lock()
		locked <- outcome{unlock, err}
	}()
	select {
	case o := <-locked:
		return o.unlock, o.err
	case <-ctx.Done():
		go func() {
			if o := <-locked; o.err == nil {
				o.unlock()
			}
		}()
		return nil, fmt.Errorf("%s is held by another recording: %w", path, context.Cause(ctx))
	}
}

// sources returns the files in the folder of case.txt and those of the folder corpus/sources.
func (r *Recorder) sources(c *suite.Case) (attempt.Files, error) {
	sources := attempt.Files{}
	for _, dir := range []string{"sources", c.ID()} {
		entries, err := fs.ReadDir(r.Corpus, dir)
		if err != nil && dir == c.ID() {
			return nil, err
		}
		for _, e := range entries {
			if e.IsDir() {
				continue
			}
			data, err := fs.ReadFile(r.Corpus, path.Join(dir, e.Name()))
			if err != nil {
				return nil, err
			}
			sources[e.Name()] = data
		}
	}
	return sources, nil
}

// StaleTargets returns the folders sm_* of c that are not for a target of c and have no recording of an older release.
func StaleTargets(corpus fs.FS, c *suite.Case) ([]string, error) {
	entries, err := fs.ReadDir(corpus, c.ID())
	if err != nil {
		return nil, err
	}
	targets := map[string]bool{}
	for _, sm := range c.Targets {
		targets["sm_"+sm] = true
	}
	var stale []string
	for _, e := range entries {
		if e.IsDir() && strings.HasPrefix(e.Name(), "sm_") && !targets[e.Name()] && !holdsOlder(corpus, c, e.Name()) {
			stale = append(stale, e.Name())
		}
	}
	return stale, nil
}

// holdsOlder reports whether a folder sm_* of c has only recordings of older releases.
func holdsOlder(corpus fs.FS, c *suite.Case, folder string) bool {
	sm := strings.TrimPrefix(folder, "sm_")
	_, err := fs.Stat(corpus, path.Join(c.ID(), folder, "1.argv"))
	return err != nil && slices.ContainsFunc(arch.Releases(), func(p *arch.Profile) bool {
		return suite.IsOlder(p) && slices.Contains(suite.TargetsWith(corpus, c, p, nil), sm)
	})
}
