package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/culink/culink/conformance/commandline"
	"github.com/culink/culink/conformance/confine"
	"github.com/culink/culink/conformance/page"
	"github.com/culink/culink/conformance/report"
	"github.com/culink/culink/conformance/rulebook"
	"github.com/culink/culink/conformance/suite"
	"github.com/culink/culink/corpus"
	"github.com/culink/culink/docs"
	"github.com/culink/culink/linker/show"
)

// reportFlags hold the flags for the forms of the report.
type reportFlags struct {
	json, junit, html outputFile
	base              string
	old               *report.Report // the report in the file base
	tap, verbose      bool
	failures          bytes.Buffer // lines to print below the table
}

func (f *reportFlags) add(flags *flag.FlagSet) {
	flags.StringVar(&f.json.name, "json", "", "write the report as JSON to this `FILE`, for merge and -base")
	flags.StringVar(&f.junit.name, "junit", "", "write the report as JUnit XML to this `FILE`")
	flags.StringVar(&f.html.name, "html", "", "write the report as a page to this `FILE`")
	flags.StringVar(&f.base, "base", "", "say what is new and fixed since this `FILE` of -json")
	flags.BoolVar(&f.tap, "tap", false, "print the Test Anything Protocol instead of the table")
	flags.BoolVar(&f.verbose, "v", false, "print all that differs in a failure, not the first alone")
}

func (f *reportFlags) outputs() []*outputFile { return []*outputFile{&f.json, &f.junit, &f.html} }

// open reads the report to compare with and opens the outputs, so that an unwritable path is found before the run.
func (f *reportFlags) open() (err error) {
	if f.base != "" {
		if f.old, err = readReport(f.base); err != nil {
			return err
		}
	}
	for _, o := range f.outputs() {
		if err := o.open(); err != nil {
			f.discard()
			return err
		}
	}
	return nil
}

// discard removes the outputs that were not written.
func (f *reportFlags) discard() {
	for _, o := range f.outputs() {
		o.discard()
	}
}

// write writes the report in every requested form and returns its exit status. files is the corpus.
func (f *reportFlags) write(r *report.Report, files fs.FS, stdout io.Writer) (int, error) {
	for _, form := range []struct {
		file  *outputFile
		write func(io.Writer) error
	}{
		{&f.json, r.WriteJSON},
		{&f.junit, r.WriteJUnit},
		{&f.html, func(w io.Writer) error { return writePage(w, r, f.old, files) }},
	} {
		if err := form.file.write(form.write); err != nil {
			return 0, err
		}
	}
	print := func(w io.Writer) error {
		err := r.WriteTable(w)
		if f.failures.Len() > 0 && err == nil {
			_, err = fmt.Fprintf(w, "\n%s\n", f.failures.Bytes())
		}
		return errors.Join(err, r.WriteSummary(w), f.conclude(r, w))
	}
	if f.tap {
		print = r.WriteTAP
	}
	if err := print(stdout); err != nil {
		return 0, err
	}
	switch r.Standing() {
	case report.Fails:
		return commandline.Differs, nil
	case report.NothingJudged:
		return commandline.Misuse, nil
	}
	return commandline.OK, nil
}

// mostCauses is the number of first causes that are printed.
const mostCauses = 8

// conclude prints the first causes, the changes, and the conclusion.
func (f *reportFlags) conclude(r *report.Report, w io.Writer) error {
	colour := paletteFor(w)
	groups := r.FirstCauses()
	failed := len(r.FailedLinks())
	if len(groups) > 0 {
		of := "the link that fails"
		if failed > 1 {
			of = fmt.Sprintf("the %d links that fail", failed)
		}
		fmt.Fprintf(w, "\nfirst causes of %s:\n", of)
	}
	for i, g := range groups {
		if i == mostCauses && len(groups) > mostCauses+1 {
			fmt.Fprintf(w, "       and %d more\n", len(groups)-i)
			break
		}
		fmt.Fprintf(w, "%6d %s\n", g.Links, show.Line(g.Line()))
	}
	fmt.Fprintln(w)
	if r.Waivers != "" {
		fmt.Fprintf(w, "waivers: %s\n", r.Waivers)
	}
	if f.old != nil {
		fmt.Fprintf(w, "verdicts since %s: %s\n", f.base, report.CountChanges(r.Since(f.old)))
	}
	if open := r.NotHeld(); open != "" {
		fmt.Fprintf(w, "%s: %s\n", colour.bad(confine.NotHeld), show.Line(open))
	}
	verdict := map[report.Standing]string{
		report.Conforms:      colour.good("PASS"),
		report.Fails:         colour.bad("FAIL"),
		report.NothingJudged: colour.bad("NOTHING JUDGED"),
	}[r.Standing()] + ": " + r.Conclusion()
	_, err := fmt.Fprintln(w, verdict)
	return err
}

// writePage writes the report as a page.
func writePage(w io.Writer, r, old *report.Report, files fs.FS) error {
	cases, err := suite.LoadCases(files)
	if err != nil {
		return err
	}
	rules, err := rulebook.Parse(docs.Rules)
	if err != nil {
		return err
	}
	return page.Write(w, page.Contents{Report: r, Base: old, Cases: cases, Rules: rules})
}

// setupMerge defines the command that merges the reports of shards.
func setupMerge(flags *flag.FlagSet) commandline.Action {
	var output reportFlags
	output.add(flags)
	return func(_ context.Context, args []string, stdout, _ io.Writer) (int, error) {
		if len(args) == 0 {
			return 0, errors.New("no report is named; cuconform run -json writes one")
		}
		var reports []*report.Report
		for _, name := range args {
			r, err := readReport(name)
			if err != nil {
				return 0, err
			}
			reports = append(reports, r)
		}
		if err := output.open(); err != nil {
			return 0, err
		}
		defer output.discard()
		report, err := report.Merge(args, reports)
		if err != nil {
			return 0, err
		}
		if !output.tap {
			lines := newFailures(stdout, stdout, output.verbose)
			for _, v := range report.Verdicts {
				lines.add(v)
			}
			lines.end()
		}
		status, err := output.write(report, corpus.Files, stdout)
		if hint := report.Hint(report.FirstCauses()); hint != "" && err == nil && !output.tap {
			_, err = fmt.Fprintf(stdout, "next: %s\n", hint)
		}
		return status, err
	}
}

func readReport(name string) (*report.Report, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return report.ReadReport(name, file)
}
