package main

import (
	"context"
	"errors"
	"flag"
	"io"
	"os"

	"github.com/culink/culink/conformance"
)

// reportFlags say in which forms a report is written.
type reportFlags struct {
	json, junit  string
	tap, verbose bool
}

func (f *reportFlags) add(flags *flag.FlagSet) {
	flags.StringVar(&f.json, "json", "", "write the report as JSON to this `FILE`; cuconform merge reads it")
	flags.StringVar(&f.junit, "junit", "", "write the report as JUnit XML to this `FILE`")
	flags.BoolVar(&f.tap, "tap", false, "print the report in the Test Anything Protocol instead of the table")
	flags.BoolVar(&f.verbose, "v", false, "print all that differs in a failure, not the first difference alone")
}

// write writes the report in every form asked for, and gives the exit status
// that it deserves.
func (f *reportFlags) write(r *conformance.Report, stdout io.Writer) (int, error) {
	for _, form := range []struct {
		name  string
		write func(io.Writer) error
	}{
		{f.json, r.WriteJSON},
		{f.junit, r.WriteJUnit},
	} {
		if form.name != "" {
			if err := writeFile(form.name, form.write); err != nil {
				return 0, err
			}
		}
	}
	print := func(w io.Writer) error { return errors.Join(r.WriteTable(w), r.WriteSummary(w)) }
	if f.tap {
		print = r.WriteTAP
	}
	if err := print(stdout); err != nil {
		return 0, err
	}
	if !r.OK() {
		return exitDiffers, nil
	}
	return exitOK, nil
}

// writeFile makes a file.
func writeFile(name string, write func(io.Writer) error) error {
	file, err := os.Create(name)
	if err != nil {
		return err
	}
	return errors.Join(write(file), file.Close())
}

// merge joins the reports of shards.
func merge(_ context.Context, args []string, stdout, stderr io.Writer) (int, error) {
	var output reportFlags
	flags := newFlags("merge", stderr)
	output.add(flags)
	if err := flags.Parse(args); err != nil {
		return 0, err
	}
	if flags.NArg() == 0 {
		return 0, errors.New("no report is named; cuconform run -json writes one")
	}
	var reports []*conformance.Report
	for _, name := range flags.Args() {
		r, err := readReport(name)
		if err != nil {
			return 0, err
		}
		reports = append(reports, r)
	}
	report, err := conformance.Merge(flags.Args(), reports)
	if err != nil {
		return 0, err
	}
	if !output.tap {
		for _, v := range report.Verdicts {
			if !v.Pass() {
				if err := conformance.WriteFailure(stdout, v, output.verbose); err != nil {
					return 0, err
				}
			}
		}
	}
	return output.write(report, stdout)
}

func readReport(name string) (*conformance.Report, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return conformance.ReadReport(name, file)
}
