package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/culink/culink/conformance"
	"github.com/culink/culink/corpus"
)

// selectionFlags adds the flags that choose cases to a flag set.
type selectionFlags struct {
	run               []string
	sm, facet, corpus string
}

func (f *selectionFlags) add(flags *flag.FlagSet) {
	flags.Func("run", "only cases that match this `GLOB` over area/case/sm_N, area/case or area (repeatable)", func(glob string) error {
		f.run = append(f.run, glob)
		return conformance.CheckGlob(glob)
	})
	flags.StringVar(&f.sm, "sm", "", "only these targets: a `LIST` such as 80,90a")
	flags.StringVar(&f.corpus, "corpus", "", "read the corpus from this `FOLDER`, not the built-in one")
}

func (f *selectionFlags) selection() (conformance.Selection, error) {
	s := conformance.Selection{Cases: f.run}
	for _, sm := range strings.FieldsFunc(f.sm, func(r rune) bool { return r == ',' }) {
		s.Targets = append(s.Targets, strings.TrimPrefix(sm, "sm_"))
	}
	facets, err := conformance.ParseFacets(f.facet)
	s.Facets = facets
	return s, err
}

func (f *selectionFlags) files() fs.FS {
	if f.corpus != "" {
		return os.DirFS(f.corpus)
	}
	return corpus.Files
}

// newFlags makes the flag set of a subcommand.
func newFlags(name string, stderr io.Writer) *flag.FlagSet {
	flags := flag.NewFlagSet("cuconform "+name, flag.ContinueOnError)
	flags.SetOutput(stderr)
	return flags
}

// parse parses arguments for a subcommand that takes only flags.
func parse(flags *flag.FlagSet, args []string) error {
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	return nil
}

// linkerUnderTest is the linker that a command names, or culink, built now. remove
// deletes what was built.
func linkerUnderTest(ctx context.Context, command string) (linker *conformance.Linker, remove func(), err error) {
	if command != "" {
		words, err := conformance.ParseCommand(command)
		return &conformance.Linker{Command: words, Limits: conformance.DefaultLimits}, func() {}, err
	}
	dir, err := os.MkdirTemp("", "cuconform-reference-")
	if err != nil {
		return nil, nil, err
	}
	remove = func() { os.RemoveAll(dir) }
	if linker, err = conformance.BuildReference(ctx, dir); err != nil {
		remove()
		err = fmt.Errorf("no -linker, and culink cannot be built here: %w", err)
	}
	return linker, remove, err
}

// A corpusRun is the command line of run.
type corpusRun struct {
	chosen       selectionFlags
	skips        []conformance.Skip
	linker       string
	trust        bool
	waivers      string
	shard        string
	toolkit      string
	limits       conformance.Limits
	jobs         int
	script       bool
	skipMustFail bool
	output       reportFlags
	words        []string // of linker, selection and waivers, for a script
}

func parseRun(args []string, stderr io.Writer) (*corpusRun, error) {
	r := &corpusRun{limits: conformance.DefaultLimits}
	flags := newFlags("run", stderr)
	r.chosen.add(flags)
	flags.StringVar(&r.chosen.facet, "facet", "", "only these facets: a `LIST` of "+facetNames())
	flags.StringVar(&r.linker, "linker", "", "the linker under test: a `COMMAND` that takes nvlink's arguments (default: culink, built now)")
	flags.BoolVar(&r.trust, "trust", false, "do not confine the linker under test (docs/security.md)")
	flags.StringVar(&r.waivers, "waivers", "", "a `FILE` of known differences (default: with culink, that of the corpus)")
	flags.StringVar(&r.toolkit, "toolkit", "", "compare with the nvlink of this `RELEASE` (default: "+conformance.Toolkit+", the only one recorded)")
	flags.StringVar(&r.shard, "shard", "", "only part `I/N` of the links (default: by TEST_SHARD_INDEX and TEST_TOTAL_SHARDS)")
	flags.DurationVar(&r.limits.Time, "timeout", r.limits.Time, "`TIME` that the linker may take for one link")
	flags.IntVar(&r.limits.Output, "output", r.limits.Output, "most `BYTES` that the linker may print in one link")
	flags.IntVar(&r.jobs, "j", 0, "links at a time, a `NUMBER` (default: one on each processor)")
	flags.Func("skip", "do not ask for what this `GLOB[:FACET]` names (repeatable)", func(text string) error {
		skip, err := conformance.ParseSkip(text)
		r.skips = append(r.skips, skip)
		return err
	})
	flags.BoolVar(&r.skipMustFail, "skip-must-fail", false, "also run what is skipped, and fail for a skip of something that passes")
	flags.BoolVar(&r.script, "script", false, "print a shell script that does this run and skips what fails now; exit 0")
	r.output.add(flags)
	if err := parse(flags, args); err != nil {
		return nil, err
	}
	flags.Visit(func(f *flag.Flag) {
		switch f.Name {
		case "linker", "sm", "facet", "corpus", "waivers", "toolkit", "timeout", "output":
			r.words = append(r.words, "-"+f.Name, f.Value.String())
		}
	})
	for _, glob := range r.chosen.run {
		r.words = append(r.words, "-run", glob)
	}
	return r, nil
}

func facetNames() string {
	var names []string
	for _, f := range conformance.Facets {
		names = append(names, string(f))
	}
	return strings.Join(names, ", ")
}

// selection is the part of the corpus that the command line names.
func (r *corpusRun) selection() (conformance.Selection, error) {
	s, err := r.chosen.selection()
	if err != nil {
		return s, err
	}
	s.Skips = r.skips
	if r.shard != "" {
		s.Shard, err = conformance.ParseShard(r.shard)
	} else {
		s.Shard, err = conformance.ShardOfEnvironment(os.Getenv)
	}
	return s, err
}

// loadWaivers are the waivers of the command line. Those of the corpus are
// culink's; of another linker they say nothing.
func (r *corpusRun) loadWaivers() ([]conformance.Waiver, error) {
	if r.waivers != "" {
		text, err := os.ReadFile(r.waivers)
		if err != nil {
			return nil, err
		}
		return conformance.ParseWaivers(r.waivers, string(text))
	}
	if r.linker == "" {
		return conformance.LoadWaivers(r.chosen.files())
	}
	return nil, nil
}

func runCorpus(ctx context.Context, args []string, stdout, stderr io.Writer) (int, error) {
	r, err := parseRun(args, stderr)
	if err != nil {
		return 0, err
	}
	if err := conformance.CheckToolkit(r.toolkit); err != nil {
		return 0, err
	}
	selection, err := r.selection()
	if err != nil {
		return 0, err
	}
	waivers, err := r.loadWaivers()
	if err != nil {
		return 0, err
	}
	linker, remove, err := linkerUnderTest(ctx, r.linker)
	if err != nil {
		return 0, err
	}
	defer remove()
	linker.Limits, linker.Trusted = r.limits, r.trust
	lines := stdout
	if r.script || r.output.tap {
		lines = io.Discard
	}
	progress := newProgress(stderr, lines, r.output.verbose)
	report, err := conformance.Run(ctx, r.chosen.files(), linker, selection, conformance.Options{
		Waivers: waivers, RunSkipped: r.skipMustFail, Jobs: r.jobs, Progress: progress.step,
	})
	progress.end()
	if err != nil {
		return 0, err
	}
	if len(report.Verdicts) == 0 && selection.Shard.Total == 0 {
		return 0, errors.New("nothing is selected")
	}
	if r.script {
		return exitOK, report.WriteScript(stdout, r.words)
	}
	return r.output.write(report, stdout)
}
