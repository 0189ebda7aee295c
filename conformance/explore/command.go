package explore

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"hash/maphash"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/culink/culink/conformance"
	"github.com/culink/culink/conformance/commandline"
	"github.com/culink/culink/conformance/confine"
	"github.com/culink/culink/conformance/sandbox"
	"github.com/culink/culink/conformance/suite"
	"github.com/culink/culink/conformance/versus"
	"github.com/culink/culink/corpus"
	"github.com/culink/culink/linker/option"
)

// A Driver returns the command of a program that links through the libnvJitLink in a file, and a function that deletes
// this program.
type Driver func(ctx context.Context, file string) (command string, remove func(), err error)

// Command returns the command "cuconform explore" (docs/explore.md).
func Command(driver Driver) commandline.Command {
	return commandline.Command{
		Name: "explore", Summary: "search for links on which culink and the live tool differ, by coverage",
		About: "Changes links of the corpus, and shows each to culink and to the live tool of a release. Links that reach new code of culink are kept and changed further. The search goes on where it was stopped.",
		Setup: setup(driver),
	}
}

// settings has the values of the flags of explore.
type settings struct {
	driver                   Driver
	sms, toolkit, oracle     string
	library, folder          string
	links, jobs              int
	time                     time.Duration
	showsReached, showsNever bool
	again, whole             bool
}

func setup(driver Driver) func(*flag.FlagSet) commandline.Action {
	return func(flags *flag.FlagSet) commandline.Action {
		s := &settings{driver: driver}
		flags.StringVar(&s.sms, "sm", "80,90,100,120", "targets, a `LIST` of numbers")
		flags.StringVar(&s.toolkit, "toolkit", "", "ask this `RELEASE` (default: "+suite.Toolkit+")")
		flags.StringVar(&s.oracle, "oracle", "", "`FOLDER` with NVIDIA's tools in bin (default: $CULINK_ORACLE, or the one beside it of -toolkit)")
		flags.StringVar(&s.library, "library", "", "ask the libnvJitLink in this `FILE` in the place of nvlink, by its images alone")
		flags.StringVar(&s.folder, "folder", "", "`FOLDER` of the search (default: in the user's cache)")
		commandline.Number(flags, &s.links, "n", 0, "stop after this `NUMBER` of links; 0: when -for is over")
		commandline.Span(flags, &s.time, "for", "stop after this `TIME` (default: when interrupted)")
		commandline.Number(flags, &s.jobs, "jobs", 0, "`NUMBER` of links at a time; 0: as many as there are processors")
		flags.BoolVar(&s.showsReached, "reached", true, "print how many blocks of culink were reached, by package")
		flags.BoolVar(&s.showsNever, "never", false, "print the functions of culink that no link has reached")
		flags.BoolVar(&s.again, "again", false, "instead, judge the stored findings again, and delete those on which both agree by now")
		flags.BoolVar(&s.whole, "whole", false, "begin with files that tools wrote, and change none: only options, containers, and which files a link has, in which order and steps")
		return func(ctx context.Context, _ []string, stdout, stderr io.Writer) (int, error) {
			return s.run(ctx, stdout, stderr)
		}
	}
}

// run searches and prints the tally.
func (s *settings) run(ctx context.Context, stdout, stderr io.Writer) (int, error) {
	if s.time > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, s.time)
		defer cancel()
	}
	x, end, err := s.explorer(ctx)
	if end != nil {
		defer end()
	}
	if err != nil {
		return 0, err
	}
	fmt.Fprintln(stdout, "confinement:", confine.Describe(false))
	if s.again {
		err = x.judgeAgain(ctx, stdout)
	} else {
		err = x.search(ctx, cmp.Or(s.jobs, runtime.NumCPU()), stderr)
	}
	if err != nil {
		return 0, err
	}
	x.tally.write(stdout)
	if s.showsReached && !s.again {
		x.universe.writeReached(stdout, x.reached, s.showsNever)
	}
	if len(x.tally.New) > 0 {
		return commandline.Differs, nil
	}
	return commandline.OK, nil
}

// limits are the limits for a link by nvlink. The links are small, but inputs that crash nvlink are frequent, and some
// make it use all memory. culink has the usual limits, because it must end by itself in any case.
var limits = sandbox.Limits{Time: 2 * time.Second, Memory: 2 << 30, File: 256 << 20, Disk: 512 << 20, Output: 4 << 20}

// explorer prepares the search. end releases its resources.
func (s *settings) explorer(ctx context.Context) (x *explorer, end func(), err error) {
	u, err := readUniverse()
	if err != nil {
		return nil, nil, err
	}
	release, err := s.release(ctx)
	if err != nil {
		return nil, nil, err
	}
	self, err := os.Executable()
	if err != nil {
		return nil, nil, err
	}
	tool, name, remove, err := s.tool(ctx, release)
	if err != nil {
		return nil, nil, err
	}
	tool.Limits = limits
	pooled, endPool := tool.Pooled()
	culink := sandbox.Linker{Command: []string{self}, Limits: sandbox.DefaultLimits, Env: []string{Serving + "=1", option.ToolkitVariable + "=" + release.Profile.Version}}
	x = &explorer{
		server: &sandbox.Server{Linker: culink}, universe: u, canon: canon{corpus: corpus.Files}, sms: strings.Split(s.sms, ","), links: s.links,
		pools: map[string]*pool{}, seen: make([]uint8, u.blocks), reached: make([]bool, u.blocks),
		mutations: mutations, said: map[string]bool{}, linked: map[uint64]bool{}, hash: maphash.MakeSeed(),
		pair: versus.Pair{Reference: pooled, ImageOnly: s.library != "", Relocates: release.Profile.Options.Relocatable},
	}
	if s.whole {
		x.mutations = wholeFiles
		name += "-whole" // inputs that were changed by other searches are not whole
	}
	end = func() {
		x.server.Close()
		endPool()
		remove()
	}
	folder := s.folder
	if folder == "" {
		cache, err := os.UserCacheDir()
		if err != nil {
			return nil, end, err
		}
		folder = filepath.Join(cache, "culink", "explore")
	}
	x.store.dir = filepath.Join(folder, name)
	if err := os.MkdirAll(x.store.dir, 0o777); err != nil {
		return nil, end, err
	}
	return x, end, x.load(s.whole)
}

// release returns the release that -toolkit names, with its tools.
func (s *settings) release(ctx context.Context) (*conformance.Release, error) {
	release, err := conformance.FindRelease(ctx, s.toolkit, s.oracle)
	switch {
	case err != nil:
		return nil, err
	case release == nil:
		return conformance.NewRelease(ctx, suite.Toolkit, cmp.Or(s.oracle, os.Getenv("CULINK_ORACLE")))
	}
	return release, release.NoTools
}

// tool returns the reference: the nvlink of a release, or the libnvJitLink that -library names. name is the name of its
// folder in the store of the search.
func (s *settings) tool(ctx context.Context, release *conformance.Release) (tool *sandbox.Linker, name string, remove func(), err error) {
	name = release.Profile.Version
	if s.library == "" {
		if release.NVLink == nil {
			return nil, "", nil, errors.New("no nvlink is known of " + name + ": ask its -library")
		}
		return release.NVLink, name, func() {}, nil
	}
	command, remove, err := s.driver(ctx, s.library)
	if err != nil {
		return nil, "", nil, err
	}
	words, err := sandbox.ParseCommand(command)
	if err != nil {
		remove()
		return nil, "", nil, err
	}
	last := len(words) - 1
	return &sandbox.Linker{Command: append(words[:last:last], "-serve", words[last]), Serves: true}, name + "-library", remove, nil
}

// load reads the state of earlier runs, and the seeds. If whole is set, tools wrote all files of the seeds.
func (x *explorer) load(whole bool) (err error) {
	if x.tally, err = x.store.tally(); err != nil {
		return err
	}
	var wait sync.WaitGroup
	for _, sm := range x.sms {
		p := &pool{words: newVocabulary()}
		x.pools[sm] = p
		wait.Go(func() {
			if err := p.load(x.store, sm, whole); err != nil {
				x.fail(err)
			}
		})
	}
	wait.Wait()
	return x.failure
}

// load reads the inputs for a target.
func (p *pool) load(s store, sm string, whole bool) (err error) {
	if p.seeds, err = seeds(corpus.Files, sm, whole); err != nil {
		return err
	}
	if len(p.seeds) == 0 {
		return fmt.Errorf("the corpus has no links for sm_%s", sm)
	}
	p.kept, err = s.inputs(sm)
	return err
}
