package diff

import (
	"flag"
	"fmt"
	"io"
	"strings"

	"github.com/culink/culink/linker/limit"
	"github.com/culink/culink/linker/show"
)

// Exit statuses of Run.
const (
	ExitSame   = 0
	ExitDiffer = 1
	ExitUsage  = 2
)

// patterns is a flag that can be repeated and takes lists with commas.
type patterns []string

func (p *patterns) String() string { return strings.Join(*p, ",") }
func (p *patterns) Set(s string) error {
	*p = append(*p, strings.Split(s, ",")...)
	return nil
}

// Run is the command "cuconform diff A B": it prints the report and returns the
// exit status, ExitSame, ExitDiffer, or ExitUsage when the files cannot be compared.
// Two texts (dumps, messages, registration files) are compared line by line.
func Run(args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("diff", flag.ContinueOnError)
	flags.SetOutput(stderr)
	var opt Options
	flags.Var((*patterns)(&opt.Only), "only", "compare only keys that match `GLOBS` (\"sym.*,info.k\")")
	flags.Var((*patterns)(&opt.Ignore), "ignore", "leave out keys that match `GLOBS`")
	most := flags.Int("limit", 60, "print at most `N` differences")
	quiet := flags.Bool("q", false, "print only the first difference")
	flags.Usage = func() {
		fmt.Fprintln(stderr, "usage: diff [-only GLOBS] [-ignore GLOBS] [-limit N] [-q] A B")
		flags.PrintDefaults()
	}
	if err := flags.Parse(args); err != nil {
		return ExitUsage
	}
	if flags.NArg() != 2 {
		flags.Usage()
		return ExitUsage
	}
	opt.NameA, opt.NameB = flags.Arg(0), flags.Arg(1)
	a, err := limit.ReadFile(opt.NameA, limit.MostOfFile)
	if err != nil {
		fmt.Fprintln(stderr, err)
		return ExitUsage
	}
	b, err := limit.ReadFile(opt.NameB, limit.MostOfFile)
	if err != nil {
		fmt.Fprintln(stderr, err)
		return ExitUsage
	}
	if isText(a) && isText(b) {
		return compareTexts(opt.NameA, opt.NameB, string(a), string(b), *most, *quiet, stdout)
	}
	report, err := Compare(a, b, opt)
	if err != nil {
		fmt.Fprintln(stderr, err)
		return ExitUsage
	}
	if *quiet && report.First() != nil {
		d := report.First()
		fmt.Fprintln(stdout, show.Line(fmt.Sprintf("%s: %s | %s", d.Key, d.A, d.B)))
		return ExitDiffer
	}
	var text strings.Builder
	report.write(&text, *most)
	io.WriteString(stdout, text.String())
	if len(report.Differences) > 0 {
		return ExitDiffer
	}
	return ExitSame
}

// compareTexts does Run's work for two texts, which have lines in the place of keys.
func compareTexts(nameA, nameB, a, b string, limit int, quiet bool, stdout io.Writer) int {
	number, inA, inB := FirstLine(a, b)
	switch {
	case number == 0:
		fmt.Fprintf(stdout, "%s and %s: the same bytes\n", show.Line(nameA), show.Line(nameB))
		return ExitSame
	case quiet:
		fmt.Fprintf(stdout, "line %d: %q | %q\n", number, inA, inB)
	default:
		fmt.Fprintf(stdout, "--- %s\n+++ %s\n%s", show.Line(nameA), show.Line(nameB), show.Lines(Lines(a, b, limit)))
	}
	return ExitDiffer
}
