package library

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/culink/culink/conformance/late"
	"github.com/culink/culink/linker/show"
)

// A Player plays the calls of a case on a library. After a crash it returns no more answers.
type Player interface {
	Play(ctx context.Context, calls [][]string) ([]Answer, error)
}

// A Verdict is the result of one case.
type Verdict struct {
	Case        *Case
	NotRun      []Need // requirements that the player does not meet; if any, the case was not played
	Calls       int    // number of calls that were judged
	Choices     int    // accepted answers that differ from those of the real library
	Differences []Difference
	Waived      bool // the image and its bytes differ, and a waiver explains this
}

// A Waiver states that the images of some cases differ, and why. A file of waivers has lines of the form GLOB REASON.
type Waiver struct{ Case, Reason string }

// ParseWaivers reads a file of waivers. # starts a comment.
func ParseWaivers(text string) (waivers []Waiver, err error) {
	for line := range strings.Lines(text) {
		glob, reason, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch {
		case glob == "" || glob[0] == '#':
		case reason == "":
			return nil, fmt.Errorf("waiver of %s without a reason", glob)
		default:
			waivers = append(waivers, Waiver{glob, reason})
		}
	}
	return waivers, nil
}

// isWaivable reports whether waivers may explain differences of facet f.
func (f Facet) isWaivable() bool { return f == FacetImage || f == FacetBytes }

// Waive removes differences that waivers explain from the report. It returns the waivers that removed nothing.
func (r *Report) Waive(waivers []Waiver) (unused []Waiver) {
	for _, w := range waivers {
		used := false
		for i := range r.Verdicts {
			v := &r.Verdicts[i]
			beside := func(d Difference) bool { return !d.Facet.isWaivable() }
			if len(v.Differences) == 0 || !matches(w.Case, v.Case.Name) || slices.ContainsFunc(v.Differences, beside) {
				continue
			}
			v.Differences, v.Waived, used = nil, true, true
		}
		if !used {
			unused = append(unused, w)
		}
	}
	return unused
}

// script returns the calls of the case as a script for a player.
func (c *Case) script() [][]string {
	var calls [][]string
	for _, call := range c.Calls {
		calls = append(calls, call.Words)
	}
	return calls
}

// missing returns the requirements of c that has does not contain.
func (c *Case) missing(has []Need) (missing []Need) {
	for _, need := range c.Needs {
		if !slices.Contains(has, need) {
			missing = append(missing, need)
		}
	}
	return missing
}

// Run plays cases and judges the answers. has lists the requirements that the player meets.
func Run(ctx context.Context, cases []*Case, player Player, has []Need) (*Report, error) {
	report := &Report{}
	for _, c := range cases {
		v := Verdict{Case: c, NotRun: c.missing(has)}
		if len(v.NotRun) == 0 {
			answers, err := player.Play(ctx, c.script())
			if err != nil {
				return nil, fmt.Errorf("%s: %w", c.Name, err)
			}
			v = Judge(c, answers)
		}
		report.Verdicts = append(report.Verdicts, v)
	}
	return report, nil
}

// Judge compares the answers to the calls of a case with the recorded ones. If the real library does harm, Judge also
// accepts the other answers in the case and those of choices. If the real library crashes in a call, nothing is recorded
// after it, and Judge compares nothing.
func Judge(c *Case, answers []Answer) Verdict {
	v := Verdict{Case: c}
	var so situation
	for i, call := range c.Calls {
		if call.Want == nil {
			break
		}
		so.refused = so.refused && call.Words[0] != "create"
		name := fmt.Sprintf("%s: %s", c.Name, &call)
		if i == len(answers) {
			v.Differences = append(v.Differences, Difference{name, FacetResult, call.Want.String(), "not played"})
			break
		}
		v.Calls++
		got := answers[i]
		so.printed += call.Want[FacetPrinted]
		if said := call.Want[FacetErrors]; call.Want[FacetResult] == "0" || strings.Contains(said, "error   : Multiple definition") {
			so.printed += said // and continued the link
		}
		differences := compare(name, call.Want, got)
		if len(differences) == 0 {
			continue
		}
		want := withZeroByte(call.Want)
		accepted := len(compare(name, want, got)) == 0 ||
			slices.ContainsFunc(call.Or, func(a Answer) bool { return len(compare(name, a, got)) == 0 }) ||
			slices.ContainsFunc(choices, func(ch choice) bool { return ch.accepts(&so, want, got) })
		if !accepted {
			v.Differences = append(v.Differences, differences...)
			continue
		}
		v.Choices++
		so.failed = so.failed || call.Words[0] == "complete" && got[FacetResult] != "0"
		so.refused = so.refused || got[FacetErrors] == notStarted
	}
	return v
}

// A situation is the state of a case after its calls so far.
type situation struct {
	printed string // text that the real library has printed
	failed  bool   // the link under test failed, and the real library reported success
	refused bool   // the link under test was not started, and the real library started one
}

// A choice describes answers that are accepted instead of the recorded one.
type choice struct {
	rule    string
	accepts func(so *situation, want, got Answer) bool
}

// chance matches the part of the info log that differs from run to run.
var chance = late.Regexp(`, used [0-9]+ barriers, [0-9]+ stack`)

// withoutChance returns an answer without the part that chance matches.
func withoutChance(a Answer) Answer {
	a = maps.Clone(a)
	if a[FacetInfos] = chance().ReplaceAllString(a[FacetInfos], ""); a[FacetInfos] == "" {
		delete(a, FacetInfos)
	}
	return a
}

// withZeroByte returns an answer with the zero byte at the end of a log, which the library of 12.0 does not write (JIT-020).
func withZeroByte(a Answer) Answer {
	for _, log := range []Facet{FacetErrors, FacetInfos} {
		if text, ok := strings.CutSuffix(a[log], noZeroByte); ok {
			a = maps.Clone(a)
			a[log] = text
		}
	}
	return a
}

// printedMark is the start of a line that some versions print after the PTX compiler has run.
const printedMark = "@E@"

// notStarted is the message of CUDA 12 for a target that cannot be linked.
const notStarted = "ERROR 1: Start\n"

// notMerged is the start of the message of releases up to 12.5 for an input that was not merged with those before it.
const notMerged = "ERROR 9: bad input:"

// choices lists the kinds of answers that are accepted.
var choices = []choice{
	// The real library crashes or ends the process. Any other answer is accepted.
	{"JIT-080", func(_ *situation, want, got Answer) bool {
		return want[FacetResult] == crash && got[FacetResult] != crash
	}},
	// After an error, the real library prints messages on the streams of the process, or logs them, and continues the link.
	// culink may put the messages into the logs instead, and may fail the link, but only for these errors.
	{"JIT-081", func(so *situation, want, got Answer) bool {
		if so.printed == "" || got[FacetPrinted] != "" || got[FacetResult] == crash {
			return false
		}
		if strings.HasPrefix(want[FacetErrors], notMerged) { // up to 12.5 an input with such an error is refused; culink's Complete fails
			return got[FacetResult] == "0" && strings.Contains(want[FacetPrinted], "error   :")
		}
		printed := strings.SplitAfter(strings.ReplaceAll(so.printed, printedMark, ""), "\n")
		fails := (strings.Contains(so.printed, "error   :") || strings.Contains(so.printed, "fatal   :")) && got[FacetResult] == "6"
		if fails && want[FacetResult] == "6" && without(got[FacetErrors], printed, true) == "" {
			return true
		}
		fails = fails && want[FacetResult] == "0"
		return (fails || want[FacetResult] == got[FacetResult]) &&
			without(got[FacetErrors], printed, fails) == without(want[FacetErrors], printed, fails) &&
			(fails || without(got[FacetInfos], printed, false) == want[FacetInfos] && want[FacetImage] == got[FacetImage])
	}},
	// From 13.1 on, the real library accepts code after a failed link, prints that it cannot use it, and returns success.
	// The code is lost, so culink may reject it.
	{"JIT-084", func(_ *situation, want, got Answer) bool {
		return strings.Contains(want[FacetPrinted], "adding function after callgraph completed") && got[FacetResult] == "6"
	}},
	// The libraries of CUDA 12 start links for targets that do not exist.
	{"JIT-117", func(so *situation, want, got Answer) bool {
		return so.refused || want[FacetResult] == "0" && got[FacetErrors] == notStarted
	}},
	// From 13.1 on, the number of barriers of a kernel without barriers is an uninitialised value.
	{"JIT-085", func(_ *situation, want, got Answer) bool {
		w, g := withoutChance(want), withoutChance(got)
		return len(compare("", want, w)) > 0 && len(compare("", w, g)) == 0
	}},
	// The real library returns an image of a failed link. culink may return none.
	{"JIT-082", func(so *situation, want, got Answer) bool {
		return want[FacetImage] != "" && got[FacetResult] == "6" && got[FacetImage] == ""
	}},
}

// without returns a log without the printed lines. If the link fails, the final lines of the log are removed too.
func without(log string, printed []string, fails bool) string {
	var rest strings.Builder
	for line := range strings.SplitAfterSeq(log, "\n") {
		ending := strings.HasPrefix(line, "fatal   : merge_elf failed") || strings.HasSuffix(line, ": finish\n") || strings.HasSuffix(line, ": complete\n")
		if !slices.Contains(printed, line) && !(fails && ending) {
			rest.WriteString(line)
		}
	}
	return rest.String()
}

// A Report is the result of a run.
type Report struct{ Verdicts []Verdict }

// Failed reports whether any answer was wrong.
func (r *Report) Failed() bool {
	return slices.ContainsFunc(r.Verdicts, func(v Verdict) bool { return len(v.Differences) > 0 })
}

// Calls returns the number of calls that were judged.
func (r *Report) Calls() (n int) {
	for _, v := range r.Verdicts {
		n += v.Calls
	}
	return n
}

// Write prints the differences, then a table with a line for each file of recordings. A line has the cases that pass,
// fail and were not run, the calls, the accepted answers, and for each facet the calls that differ in it.
func (r *Report) Write(w io.Writer) error {
	type row struct {
		pass, fail, waived, notRun, calls, choices int
		facets                                     map[Facet]int
	}
	rows := map[string]*row{}
	var recordings []string
	notRun := map[Need]int{}
	for _, v := range r.Verdicts {
		of := rows[v.Case.recording()]
		if of == nil {
			of = &row{facets: map[Facet]int{}}
			rows[v.Case.recording()] = of
			recordings = append(recordings, v.Case.recording())
		}
		of.calls += v.Calls
		of.choices += v.Choices
		switch {
		case len(v.NotRun) > 0:
			of.notRun++
			for _, need := range v.NotRun {
				notRun[need]++
			}
		case len(v.Differences) > 0:
			of.fail++
		case v.Waived:
			of.waived++
		default:
			of.pass++
		}
		for _, d := range v.Differences {
			of.facets[d.Facet]++
			if _, err := fmt.Fprintln(w, show.Line(d.String())); err != nil {
				return err
			}
		}
	}
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(table, "recording\tpass\tfail\twaived\tnot run\tcalls\tby choice\t")
	for _, f := range Facets {
		fmt.Fprintf(table, "%s\t", f)
	}
	fmt.Fprintln(table)
	for _, name := range recordings {
		of := rows[name]
		fmt.Fprintf(table, "%s\t%d\t%d\t%d\t%d\t%d\t%d\t", show.Line(name), of.pass, of.fail, of.waived, of.notRun, of.calls, of.choices)
		for _, f := range Facets {
			fmt.Fprintf(table, "%d\t", of.facets[f])
		}
		fmt.Fprintln(table)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	for _, need := range []Need{NeedsC, NeedsPTXAS, NeedsCompiler} {
		if n := notRun[need]; n > 0 {
			if _, err := fmt.Fprintf(w, "NOT RUN: %d cases, which need %s\n", n, need); err != nil {
				return err
			}
		}
	}
	return nil
}
