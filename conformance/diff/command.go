package diff

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"strings"

	"github.com/culink/culink/conformance/commandline"
	"github.com/culink/culink/linker/inspect"
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
		About: "Compares two cubins structure by structure, the difference that tells most first, and fat binaries, host objects, programs and archives part by part. Two texts (dumps, messages, registration files) are compared line by line, two maps of culink --map FILE.json by what grew.",
		Setup: setup,
	}
}

// settings contains the flags of the command.
type settings struct {
	options Options
	limit   int
	quiet   bool
	isPart  bool // what is compared is a part of each file
}

func setup(flags *flag.FlagSet) commandline.Action {
	s := &settings{limit: 60}
	flags.Var((*patterns)(&s.options.Only), "only", "compare only keys that match `GLOBS`, such as sym.*,info.k")
	flags.Var((*patterns)(&s.options.Ignore), "ignore", "leave out keys that match `GLOBS`")
	commandline.Number(flags, &s.limit, "limit", 1, "print at most `N` differences of a part")
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
	partA, partB := inspect.Read(nameA, a), inspect.Read(nameB, b)
	commandline.HoldMemory(memoryOf(partA) + memoryOf(partB))
	return s.comparePart(partA, partB, stdout)
}

// comparePart prints the differences between two files, or between two parts of files.
func (s *settings) comparePart(a, b *inspect.Part, stdout io.Writer) (int, error) {
	textA, textB := contents(a), contents(b)
	switch {
	case isText(textA) && isText(textB) && !bytes.Equal(textA, textB):
		s.compareTexts(a, b, string(textA), string(textB), stdout)
		return commandline.Differs, nil
	case len(a.Parts) > 0 && len(b.Parts) > 0 && !bytes.Equal(a.Data, b.Data):
		return s.compareParts(a, b, stdout)
	case a.Cubin != nil && len(b.Parts) > 0:
		image, err := imageFor(a, b)
		if err != nil {
			return 0, err
		}
		return s.compareStructure(a, image, stdout)
	case b.Cubin != nil && len(a.Parts) > 0:
		image, err := imageFor(b, a)
		if err != nil {
			return 0, err
		}
		return s.compareStructure(image, b, stdout)
	}
	return s.compareStructure(a, b, stdout)
}

// compareStructure prints the report of two cubins, or of two files of which neither is one.
func (s *settings) compareStructure(a, b *inspect.Part, stdout io.Writer) (int, error) {
	opt := s.options
	opt.NameA, opt.NameB = a.Name, b.Name
	report, err := Compare(a.Data, b.Data, opt)
	switch {
	case err != nil && a.Kind != b.Kind:
		return 0, fmt.Errorf("%s is of the kind %q and %s of the kind %q: %w", a.Name, a.Kind, b.Name, b.Kind, err)
	case err != nil:
		return 0, err
	}
	if s.quiet && report.First() != nil {
		d := report.First()
		s.printFirst(a, fmt.Sprintf("%s: %s | %s", d.Key, d.A, d.B), stdout)
		return commandline.Differs, nil
	}
	var text strings.Builder
	text.WriteString(releases(a.Name, b.Name, a.Data, b.Data))
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

// compareTexts prints the differences between two texts by lines.
func (s *settings) compareTexts(a, b *inspect.Part, textA, textB string, stdout io.Writer) {
	if s.quiet {
		number, inA, inB := FirstLine(textA, textB)
		s.printFirst(a, fmt.Sprintf("line %d: %q | %q", number, inA, inB), stdout)
		return
	}
	fmt.Fprintf(stdout, "--- %s\n+++ %s\n%s", show.Line(a.Name), show.Line(b.Name), show.Lines(Lines(textA, textB, s.limit)))
}

// printFirst prints the first difference, with the name of the part that has it.
func (s *settings) printFirst(a *inspect.Part, difference string, stdout io.Writer) {
	if s.isPart {
		difference = a.Name + ": " + difference
	}
	fmt.Fprintln(stdout, show.Line(difference))
}
