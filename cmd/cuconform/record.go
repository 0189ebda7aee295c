package main

import (
	"cmp"
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
	"github.com/culink/culink/linker/arch"
	"github.com/culink/culink/linker/show"
)

func setupRecord(flags *flag.FlagSet) commandline.Action {
	r := &recording{flags: flags}
	r.chosen.add(flags)
	flags.StringVar(&r.oracle, "oracle", "", "the `FOLDER` of the CUDA tools, with bin/nvlink (default: $CULINK_ORACLE)")
	flags.StringVar(&r.toolkit, "toolkit", "", "record what differs with nvlink of this `RELEASE`, beside -oracle's folder (default: "+conformance.Toolkit+")")
	flags.BoolVar(&r.check, "check", false, "write nothing; fail when a recording would change")
	r.library.AddFlags(flags)
	return r.run
}

// A recording is the command line of record.
type recording struct {
	flags   *flag.FlagSet
	chosen  selectionFlags
	oracle  string
	toolkit string
	check   bool
	library library.CommandLine
}

// releaseOracle is the folder that is named for the tools of another release.
func (o *recording) releaseOracle() string {
	if o.toolkit == "" {
		return ""
	}
	return o.oracle
}

func (o *recording) run(ctx context.Context, _ []string, stdout, _ io.Writer) (int, error) {
	if err := checkLibraryFlags(o.flags, o.library.Library != "", "run", "check"); err != nil {
		return 0, err
	}
	if l := &o.library; l.Library != "" {
		l.Run, l.Check, l.Time = o.chosen.run, o.check, conformance.DefaultLimits.Time
		return l.Record(ctx, stdout)
	}
	release, err := conformance.FindRelease(ctx, o.toolkit, o.releaseOracle())
	if err != nil {
		return 0, err
	}
	var profile *arch.Profile
	if release != nil {
		if release.NoTools != nil {
			return 0, release.NoTools
		}
		profile, o.oracle = release.Profile, release.Oracle
	}
	if o.oracle = cmp.Or(o.oracle, os.Getenv("CULINK_ORACLE")); o.oracle == "" {
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
		Oracle: o.oracle, Corpus: files, Limits: conformance.DefaultLimits, Once: o.check, Release: profile,
		Scripts: os.DirFS(filepath.Join(filepath.Dir(filepath.Clean(chosen.corpus)), "testscripts")),
	}
	done, changed, notMade, why := 0, 0, 0, error(nil)
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
	err = recorder.RecordAll(ctx, cases, selection, func(stored *conformance.Stored) error {
		done++
		if stored.NotMade != nil {
			notMade++
			why = cmp.Or(why, stored.NotMade)
		}
		if errors.Is(stored.NotMade, conformance.ErrNoTools) {
			return nil
		}
		names, err := stored.Changed(files)
		if err != nil || len(names) == 0 {
			return err
		}
		changed++
		fmt.Fprintln(stdout, show.Line(fmt.Sprintf("%s: %d files changed: %s", stored.Name(), len(names), names[0])))
		if o.check {
			return nil
		}
		return stored.Save(chosen.corpus)
	})
	if err != nil {
		return 0, err
	}
	if done == 0 {
		return 0, errors.New("nothing is selected; cuconform list shows the cases")
	}
	fmt.Fprintf(stdout, "%d recordings, %d changed\n", done, changed)
	if notMade > 0 {
		fmt.Fprintln(stdout, show.Line(fmt.Sprintf("%d have inputs that the tools do not make, the first because %v", notMade, why)))
	}
	if o.check && changed > 0 {
		return commandline.Differs, nil
	}
	return commandline.OK, nil
}
