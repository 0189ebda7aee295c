package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"strings"

	"github.com/culink/culink/conformance"
	"github.com/culink/culink/corpus"
)

// selectionFlags adds the flags that choose cases to a flag set.
type selectionFlags struct {
	run, sm, facet, corpus string
}

func (f *selectionFlags) add(flags *flag.FlagSet) {
	flags.StringVar(&f.run, "run", "", "only cases that match this `glob` over area/case/sm_N, area/case or area")
	flags.StringVar(&f.sm, "sm", "", "only these targets: a `list` such as 80,90a")
	flags.StringVar(&f.corpus, "corpus", "", "read the corpus from this `folder`, not the built-in one")
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
	if words := strings.Fields(command); len(words) > 0 {
		words[0], err = exec.LookPath(words[0])
		return &conformance.Linker{Command: words, Limits: conformance.DefaultLimits}, func() {}, err
	}
	dir, err := os.MkdirTemp("", "cuconform-reference-")
	if err != nil {
		return nil, nil, err
	}
	remove = func() { os.RemoveAll(dir) }
	if linker, err = conformance.BuildReference(ctx, dir); err != nil {
		remove()
	}
	return linker, remove, err
}

func runCorpus(ctx context.Context, args []string, stdout, stderr io.Writer) (int, error) {
	var chosen selectionFlags
	flags := newFlags("run", stderr)
	chosen.add(flags)
	flags.StringVar(&chosen.facet, "facet", "", "only these facets: a `list` of exit, messages, file, image, bytes")
	linkerCommand := flags.String("linker", "", "the linker under test: a `command` that takes nvlink's arguments (default: culink, built now)")
	waiverFile := flags.String("waivers", "", "a `file` of known differences (default: with culink, that of the corpus)")
	limits := conformance.DefaultLimits
	flags.DurationVar(&limits.Time, "timeout", limits.Time, "`time` that the linker may take for one link")
	if err := parse(flags, args); err != nil {
		return 0, err
	}
	selection, err := chosen.selection()
	if err != nil {
		return 0, err
	}
	linker, remove, err := linkerUnderTest(ctx, *linkerCommand)
	if err != nil {
		return 0, err
	}
	defer remove()
	var waivers []conformance.Waiver
	files := chosen.files()
	if *linkerCommand == "" {
		if waivers, err = conformance.LoadWaivers(files); err != nil {
			return 0, err
		}
	}
	if *waiverFile != "" {
		text, err := os.ReadFile(*waiverFile)
		if err != nil {
			return 0, err
		}
		if waivers, err = conformance.ParseWaivers(*waiverFile, string(text)); err != nil {
			return 0, err
		}
	}
	linker.Limits = limits
	report, err := conformance.Run(ctx, files, linker, selection, waivers)
	if err != nil {
		return 0, err
	}
	if len(report.Verdicts) == 0 {
		return 0, errors.New("nothing is selected")
	}
	if err := report.WriteFailures(stdout); err != nil {
		return 0, err
	}
	if err := report.WriteTable(stdout); err != nil {
		return 0, err
	}
	if report.Failed() > 0 {
		return exitDiffers, nil
	}
	return exitOK, nil
}
