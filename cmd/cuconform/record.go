package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/culink/culink/conformance"
	"github.com/culink/culink/conformance/commandline"
	"github.com/culink/culink/conformance/library"
	"github.com/culink/culink/linker/show"
)

func setupRecord(flags *flag.FlagSet) commandline.Action {
	r := &recording{flags: flags}
	r.chosen.add(flags)
	flags.StringVar(&r.oracle, "oracle", os.Getenv("CULINK_ORACLE"), "the `FOLDER` of the CUDA tools, with bin/nvlink (default: $CULINK_ORACLE)")
	flags.BoolVar(&r.check, "check", false, "write nothing; fail when a recording would change")
	r.library.AddFlags(flags)
	return r.run
}

// A recording is the command line of record.
type recording struct {
	flags   *flag.FlagSet
	chosen  selectionFlags
	oracle  string
	check   bool
	library library.CommandLine
}

func (o *recording) run(ctx context.Context, _ []string, stdout, _ io.Writer) (int, error) {
	if err := checkLibraryFlags(o.flags, o.library.Library != "", "run", "check"); err != nil {
		return 0, err
	}
	if l := &o.library; l.Library != "" {
		l.Run, l.Check, l.Time = o.chosen.run, o.check, conformance.DefaultLimits.Time
		return l.Record(ctx, stdout)
	}
	if o.oracle == "" {
		return 0, errors.New("no oracle: set CULINK_ORACLE or -oracle")
	}
	if _, err := os.Stat(filepath.Join(o.oracle, "bin", "nvlink")); err != nil {
		return 0, fmt.Errorf("no oracle: %w", err)
	}
	chosen := o.chosen
	if chosen.corpus == "" {
		chosen.corpus = "corpus"
	}
	selection, err := chosen.selection()
	if err != nil {
		return 0, err
	}
	files := chosen.files()
	cases, err := conformance.LoadCases(files)
	if err != nil {
		return 0, err
	}
	recorder := &conformance.Recorder{
		Oracle: o.oracle, Corpus: files, Limits: conformance.DefaultLimits, Once: o.check,
		Scripts: os.DirFS(filepath.Join(filepath.Dir(filepath.Clean(chosen.corpus)), "testscripts")),
	}
	done, changed := 0, 0
	for _, c := range cases {
		stale, err := conformance.StaleTargets(files, c)
		if err != nil {
			return 0, err
		}
		for _, name := range stale {
			fmt.Fprintln(stdout, show.Line(fmt.Sprintf("%s/%s is no target of the case", c.ID(), name)))
			changed++
			if !o.check {
				if err := os.RemoveAll(filepath.Join(chosen.corpus, c.Area, c.Name, name)); err != nil {
					return 0, err
				}
			}
		}
	}
	err = recorder.RecordAll(ctx, cases, selection, func(c *conformance.Case, sm string, recording *conformance.Recording) error {
		done++
		names, err := recording.Changed(files, c, sm)
		if err != nil || len(names) == 0 {
			return err
		}
		changed++
		fmt.Fprintln(stdout, show.Line(fmt.Sprintf("%s sm_%s: %d files changed: %s", c.ID(), sm, len(names), names[0])))
		if o.check {
			return nil
		}
		return recording.Save(chosen.corpus, c, sm)
	})
	if err != nil {
		return 0, err
	}
	if done == 0 {
		return 0, errors.New("nothing is selected; cuconform list shows the cases")
	}
	fmt.Fprintf(stdout, "%d recordings, %d changed\n", done, changed)
	if o.check && changed > 0 {
		return commandline.Differs, nil
	}
	return commandline.OK, nil
}
