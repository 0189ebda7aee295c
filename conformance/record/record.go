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

// Recording asks the real tool. The corpus holds nothing that was not recorded
// or written by hand in case.txt and its sources.

// A Recorder makes recordings with the tools of an oracle.
type Recorder struct {
	Oracle  string // folder with bin/nvcc, bin/ptxas, bin/nvlink
	Corpus  fs.FS
	Scripts fs.FS // testscripts/, whose texts some cases use
	Limits  sandbox.Limits
	Once    bool // runs no step twice, where the result is compared with a recording that did
	// Release is that of the oracle's tools, where it is not that of the recordings.
	Release *arch.Profile
	// NVLink is the nvlink that is recorded, where it is not that of Oracle: for a case of another platform.
	NVLink *sandbox.Linker
}

// kitchenDir is where inputs are made: a fixed name, because compilers write
// the folder into module ids and debug information. Recording needs Linux, as
// the oracle does. Whoever uses the folder holds kitchenLock, which the system takes
// from a process that is killed.
const kitchenDir = "/tmp/cuconform-kitchen"

// kitchenLock returns the file that recordings of this user lock: it lies where no other user can make or hold it. Where
// another user records, the folder cannot be made anew, which is an error.
func kitchenLock() (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	folder := filepath.Join(cache, "culink")
	return filepath.Join(folder, "kitchen.lock"), os.MkdirAll(folder, 0o700)
}

// RecordAll records the cases on the targets that s selects, one on each processor at a
// time, and hands them over in the order of the corpus. It ends with the first error.
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

// targets are those on which a case is recorded: of another release where the outcome follows from an
// earlier one or is recorded already and, of the targets that are named, all that it links for.
func (r *Recorder) targets(c *suite.Case, named []string) []string {
	if r.Release == nil {
		return c.Targets
	}
	return slices.DeleteFunc(slices.Clone(suite.TargetsWith(r.Corpus, c, r.Release, named)), func(sm string) bool {
		_, ok := r.Release.Parse("sm_" + sm)
		return !ok || len(named) == 0 && !suite.IsRecordedOf(r.Corpus, c, sm, r.Release)
	})
}

// store asks the tools for what the corpus holds of c on a target.
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

// Record makes the inputs of c for a target and runs its steps with nvlink,
// each twice: a step that does not repeat itself is no test. It may be called
// by several goroutines.
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

// errNoOutcome says that a step has no outcome that can be recorded.
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
	leave, err := enterKitchen(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	k := &recipe.Toolchain{Dir: kitchenDir, SM: sm, Oracle: r.Oracle, Scripts: r.Scripts}
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
			// With -lineinfo, inline functions of the toolkit's headers: the time of the header
			// is in the line table too.
			return nil, fmt.Errorf("make %s: it names the folder %s, and repeats only there", recipe.Output, r.Oracle)
		}
	}
	for _, name := range c.Drop {
		delete(inputs, name)
	}
	return inputs, nil
}

// ptxVersion is the directive that says the version of PTX.
var ptxVersion = late.Regexp(`(?m)^\.version\s+(\d+)\.(\d+)`)

// lowerPTX lets sources say the newest version of PTX that a release knows in the place of a newer one.
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

// enterKitchen waits until nobody uses the kitchen, and makes it anew: a recording
// that was killed leaves its files there. After an error it holds nothing.
func enterKitchen(ctx context.Context) (leave func(), err error) {
	file, err := kitchenLock()
	if err != nil {
		return nil, err
	}
	unlock, err := lock(ctx, file)
	if err != nil {
		return nil, err
	}
	leave = func() {
		os.RemoveAll(kitchenDir)
		unlock()
	}
	if err := os.RemoveAll(kitchenDir); err != nil {
		unlock()
		return nil, err
	}
	if err := os.Mkdir(kitchenDir, 0o777); err != nil {
		unlock()
		return nil, err
	}
	return leave, nil
}

// lock waits for the lock on a file. A wait that ctx ended lets go of the lock when it comes.
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

// sources are the files beside case.txt, and the shared ones of the folder
// corpus/sources.
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

// StaleTargets names the sm_* folders of c that are no targets of it, and hold nothing of an older
// release.
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

// holdsOlder reports whether an sm_* folder of c has recordings of releases that link for it, of
// which the release of the recordings is none.
func holdsOlder(corpus fs.FS, c *suite.Case, folder string) bool {
	sm := strings.TrimPrefix(folder, "sm_")
	_, err := fs.Stat(corpus, path.Join(c.ID(), folder, "1.argv"))
	return err != nil && slices.ContainsFunc(arch.Releases(), func(p *arch.Profile) bool {
		return suite.IsOlder(p) && slices.Contains(suite.TargetsWith(corpus, c, p, nil), sm)
	})
}
