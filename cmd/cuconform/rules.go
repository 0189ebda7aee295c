package main

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/culink/culink/conformance"
)

// rules writes the page that says what tests each rule (docs/coverage.md).
func rules(_ context.Context, args []string, stdout, stderr io.Writer) (int, error) {
	flags := newFlags("rules", stderr)
	root := flags.String("root", ".", "the `FOLDER` of the repository")
	out := flags.String("o", "", "write the page to this `FILE`, and the totals to standard output")
	if err := parse(flags, args); err != nil {
		return 0, err
	}
	coverage, err := conformance.RuleCoverage(os.DirFS(*root))
	if err != nil {
		return 0, err
	}
	if *out != "" {
		if err := writeFile(*out, coverage.WritePage); err != nil {
			return 0, err
		}
	} else if err := coverage.WritePage(stdout); err != nil {
		return 0, err
	}
	fmt.Fprintln(stdout, coverage.Totals())
	if len(coverage.Orphans) > 0 {
		for _, o := range coverage.Orphans {
			fmt.Fprintln(stdout, o)
		}
		return exitDiffers, nil
	}
	return exitOK, nil
}
