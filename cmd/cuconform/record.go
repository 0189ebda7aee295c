package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/culink/culink/conformance"
)

func record(ctx context.Context, args []string, stdout, stderr io.Writer) (int, error) {
	var chosen selectionFlags
	flags := newFlags("record", stderr)
	chosen.add(flags)
	oracle := flags.String("oracle", os.Getenv("CULINK_ORACLE"), "`folder` of the CUDA 13.0.88 tools, with bin/nvlink (default: $CULINK_ORACLE)")
	check := flags.Bool("check", false, "write nothing; fail when a recording would change")
	if err := parse(flags, args); err != nil {
		return 0, err
	}
	if *oracle == "" {
		return 0, errors.New("no oracle: set CULINK_ORACLE or -oracle")
	}
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
		Oracle: *oracle, Corpus: files, Limits: conformance.DefaultLimits, Once: *check,
		Scripts: os.DirFS(filepath.Join(filepath.Dir(filepath.Clean(chosen.corpus)), "testscripts")),
	}
	done, changed := 0, 0
	for _, c := range cases {
		stale, err := conformance.StaleTargets(files, c)
		if err != nil {
			return 0, err
		}
		for _, name := range stale {
			fmt.Fprintf(stdout, "%s/%s is no target of the case\n", c.ID(), name)
			changed++
			if !*check {
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
		fmt.Fprintf(stdout, "%s sm_%s: %d files changed: %s\n", c.ID(), sm, len(names), names[0])
		if *check {
			return nil
		}
		return recording.Save(chosen.corpus, c, sm)
	})
	if err != nil {
		return 0, err
	}
	fmt.Fprintf(stdout, "%d recordings, %d changed\n", done, changed)
	if *check && changed > 0 {
		return exitDiffers, nil
	}
	return exitOK, nil
}
