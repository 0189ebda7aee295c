package diff

import (
	"context"
	"flag"
	"fmt"
	"io"
	"strings"

	"github.com/culink/culink/conformance/commandline"
	"github.com/culink/culink/linker/limit"
	"github.com/culink/culink/linker/memorymap"
	"github.com/culink/culink/linker/show"
)

// patterns is the value of a flag that can be repeated. Each use may be a list with commas.
type patterns []string

func (p *patterns) String() string { return strings.Join(*p, ",") }
func (p *patterns) Set(s string) error {
	*p = append(*p, strings.Split(s, ",")...)
	return nil
}

// Command is "cuconform diff A B".
func Command() commandline.Command {
	return commandline.Command{
		Name: "diff", Summary: "compare two cubins structure by structure", Arguments: "A B",
		About: "Compares two cubins structure by structure, the difference that tells most first. Two texts (dumps, messages, registration files) are compared line by line, two maps of culink --map FILE.json by what grew.",
		Setup: setup,
	}
}

// settings contains the flags of the command.
type settings struct {
	options Options
	limit   int
	quiet   bool
}

func setup(flags *flag.FlagSet) commandline.Action {
	s := &settings{limit: 60}
	flags.Var((*patterns)(&s.options.Only), "only", "compare only keys that match `GLOBS`, such as sym.*,info.k")
	flags.Var((*patterns)(&s.options.Ignore), "ignore", "leave out keys that match `GLOBS`")
	commandline.Number(flags, &s.limit, "limit", 1, "print at most `N` differences")
	flags.BoolVar(&s.quiet, "q", false, "print only the first difference")
	return func(_ context.Context, args []string, stdout, _ io.Writer) (int, error) {
		if err := commandline.Expect(args, 2, 2); err != nil {
			return 0, err
		}
		return s.compare(args[0], args[1], stdout)
	}
}

// compare prints the report of two files.
func (s *settings) compare(nameA, nameB string, stdout io.Writer) (int, error) {
	a, err := limit.ReadFile(nameA, limit.MostOfFile)
	if err != nil {
		return 0, err
	}
	b, err := limit.ReadFile(nameB, limit.MostOfFile)
	if err != nil {
		return 0, err
	}
	commandline.HoldMemory(len(a) + len(b))
	if memorymap.Is(a) && memorymap.Is(b) {
		return s.compareMaps(nameA, nameB, a, b, stdout)
	}
	if isText(a) && isText(b) {
		return compareTexts(nameA, nameB, string(a), string(b), s.limit, s.quiet, stdout), nil
	}
	opt := s.options
	opt.NameA, opt.NameB = nameA, nameB
	report, err := Compare(a, b, opt)
	if err != nil {
		return 0, err
	}
	if s.quiet && report.First() != nil {
		d := report.First()
		fmt.Fprintln(stdout, show.Line(fmt.Sprintf("%s: %s | %s", d.Key, d.A, d.B)))
		return commandline.Differs, nil
	}
	var text strings.Builder
	text.WriteString(releases(nameA, nameB, a, b))
	report.write(&text, s.limit)
	io.WriteString(stdout, text.String())
	if len(report.Differences) > 0 {
		return commandline.Differs, nil
	}
	return commandline.OK, nil
}

// compareMaps compares two maps of "culink --map FILE.json" and prints what has grown.
func (s *settings) compareMaps(nameA, nameB string, a, b []byte, stdout io.Writer) (int, error) {
	old, err := memorymap.Read(nameA, a)
	if err != nil {
		return 0, err
	}
	now, err := memorymap.Read(nameB, b)
	if err != nil {
		return 0, err
	}
	all := memorymap.Compare(old, now)
	if len(all) == 0 {
		fmt.Fprintf(stdout, "%s and %s: the same sizes\n", show.Line(nameA), show.Line(nameB))
		return commandline.OK, nil
	}
	shown := all[:min(len(all), s.limit)]
	if s.quiet {
		shown = all[:1]
	}
	if err := memorymap.WriteGrowth(stdout, shown); err != nil {
		return 0, err
	}
	if more := len(all) - len(shown); more > 0 && !s.quiet {
		fmt.Fprintf(stdout, "and %d more\n", more)
	}
	return commandline.Differs, nil
}

// compareTexts compares two texts in the way in which compare compares files. It compares lines instead of keys.
func compareTexts(nameA, nameB, a, b string, limit int, quiet bool, stdout io.Writer) int {
	number, inA, inB := FirstLine(a, b)
	switch {
	case number == 0:
		fmt.Fprintf(stdout, "%s and %s: the same bytes\n", show.Line(nameA), show.Line(nameB))
		return commandline.OK
	case quiet:
		fmt.Fprintln(stdout, show.Line(fmt.Sprintf("line %d: %q | %q", number, inA, inB)))
	default:
		fmt.Fprintf(stdout, "--- %s\n+++ %s\n%s", show.Line(nameA), show.Line(nameB), show.Lines(Lines(a, b, limit)))
	}
	return commandline.Differs
}
