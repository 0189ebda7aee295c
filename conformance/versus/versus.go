// Package versus compares what two linkers do with the same inputs: a linker under test, and
// the reference.
//
// A [Pair] does a step with both. Exit status, messages and bytes are compared, and what both
// have written is judged by itself (versus.go). What differs gets a class: the first message, or
// the first key of package diff, with names taken out. What differs by choice names its row of
// docs/errata.md (choice.go).
package versus

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/culink/culink/conformance/attempt"
	"github.com/culink/culink/conformance/codematch"
	"github.com/culink/culink/conformance/diff"
	"github.com/culink/culink/conformance/judge"
	"github.com/culink/culink/conformance/late"
	"github.com/culink/culink/conformance/sound"
	"github.com/culink/culink/conformance/suite"
)

// A Pair is a linker under test, and the reference.
type Pair struct {
	Linker, Reference Runner
	Server            Runner   // asked before the reference; nil: none
	ImageOnly         bool     // judge success and the image alone
	Sound             bool     // judge by itself what the linkers agree on
	Relocates         bool     // the release makes a relocatable file of -r (KIT-015)
	Toolkit           []string // names the release that judges, on a command line; none for that of the recordings
}

// A Verdict says whether two linkers did the same, and otherwise in what they
// differ first.
type Verdict struct {
	Class  string // what all differences of this kind have in common; empty: the same
	Detail string

	// functions of the outputs for sm_100 and later, equal in all but schedules when Class
	// is empty
	Functions codematch.Count

	Reference, Other Outcome

	Choice  string // the row of docs/errata.md by which they differ; Class is empty then
	Refused bool   // the loss of relocations is refused, and accepted when told so
}

// Judge does one step with both linkers.
func (p *Pair) Judge(files attempt.Files, s Step) (Verdict, error) {
	other, err := Link(p.Linker, files, s)
	if err != nil {
		return Verdict{}, err
	}
	refused := refusesLoss(other)
	if refused {
		if other, err = acceptLoss(p.Linker, files, s); err != nil {
			return Verdict{}, err
		}
	}
	v, err := p.ask(files, s, other)
	if err != nil {
		return Verdict{}, err
	}
	if refused && failsForLoss(s, other) {
		return v.chosen(loss, true), nil
	}
	if v.Class != "" {
		if id := p.choice(files, s, &v); id != "" {
			return v.chosen(id, false), nil
		}
		if refused {
			v.Class = "refused, and accepted: " + v.Class
		}
		return v, nil
	}
	if refused {
		return v.chosen(loss, true), nil
	}
	if p.Sound && v.Reference.Output != nil && other.Output != nil && !s.choosesByName() {
		found := judged(func() Verdict { return p.unsound(files, s, v.Reference.Output) })
		v.Class, v.Detail = found.Class, found.Detail
	}
	return v, nil
}

// chosen is the verdict on linkers that differ by choice.
func (v Verdict) chosen(id string, refused bool) Verdict {
	v.Class, v.Detail, v.Choice, v.Refused = "", "", id, refused
	return v
}

// ask judges what the other linker did in one step: by the image that the server makes, if
// there is one. What the server refuses, or makes otherwise, the reference judges: a library
// may have fewer options than the tool, and let more inputs pass.
func (p *Pair) ask(files attempt.Files, s Step, other Outcome) (Verdict, error) {
	if p.Server != nil {
		reference, err := Link(p.Server, files, s)
		if err != nil {
			return Verdict{}, err
		}
		if v := compare(reference, other, true); v.Class == "" {
			return v, nil
		}
	}
	reference, err := Link(p.Reference, files, s)
	return compare(reference, other, p.ImageOnly), err
}

// unsound judges what both linkers have written by itself (package sound), but for what
// the checker cannot tell: kernels that are chosen by name leave others half linked.
func (p *Pair) unsound(files attempt.Files, s Step, output []byte) Verdict {
	link, _, err := sound.FromCommand(context.Background(), files, slices.Concat(p.Toolkit, s.Args))
	switch {
	case errors.Is(err, sound.ErrNoCubin):
		return Verdict{}
	case err != nil:
		return Verdict{Class: "unsound: inputs", Detail: err.Error()}
	}
	findings := sound.Check(*link, output)
	if len(findings) == 0 {
		return Verdict{}
	}
	var lines strings.Builder
	for _, f := range findings {
		fmt.Fprintln(&lines, f)
	}
	kind, _, _ := strings.Cut(findings[0].Key, ".")
	return Verdict{Class: "unsound: " + kind, Detail: lines.String()}
}

// failedJudge is the class of links on which the judge itself fails, whatever a stranger has put into a file (CONF-015).
const failedJudge = "the judge failed"

// compare compares two outcomes.
func compare(reference, other Outcome, imageOnly bool) Verdict {
	how := compareAll
	if imageOnly && reference.Trouble == "" && other.Trouble == "" {
		how = compareImages
	}
	v := judged(func() Verdict { return how(reference, other) })
	v.Reference, v.Other = reference, other
	return v
}

// judged is the verdict of a judge, or that it failed.
func judged(ask func() Verdict) (v Verdict) {
	if failure := judge.Guarded(func() { v = ask() }); failure != "" {
		return Verdict{Class: failedJudge, Detail: failure}
	}
	return v
}

// compareImages asks whether both linkers succeed, and make the same image.
func compareImages(reference, other Outcome) Verdict {
	if (reference.Exit == 0) != (other.Exit == 0) {
		return Verdict{Class: fmt.Sprintf("exit %d, not %d", other.Exit, reference.Exit), Detail: textDetail(reference.Stderr, other.Stderr)}
	}
	if reference.Output == nil && other.Output == nil {
		return Verdict{}
	}
	const name = "out.cubin"
	match := codematch.Compare(reference.Output, other.Output)
	files := func(output []byte) *attempt.Outcome {
		out := &attempt.Outcome{Files: attempt.Files{}}
		if output != nil {
			out.Files[name] = output
		}
		return out
	}
	for _, f := range []judge.Facet{judge.FacetFile, judge.FacetImage} {
		if d := judge.Compare(f, suite.ExpectRecorded, files(reference.Output), files(match.Got)); len(d) > 0 {
			return Verdict{Functions: match.Count, Class: string(f) + ": " + Pattern(strings.TrimPrefix(d[0].Key, name+":")), Detail: d[0].String()}
		}
	}
	return Verdict{Functions: match.Count}
}

func compareAll(reference, other Outcome) Verdict {
	difference := firstLine(reference.Stderr, other.Stderr)
	out := firstLine(reference.Stdout, other.Stdout)
	switch {
	case reference.Trouble != "":
		if other.Exit != 0 && other.Trouble == "" && other.Output == nil {
			return Verdict{} // a clear error where the reference crashes is what we want
		}
		return Verdict{Class: "reference " + reference.Trouble, Detail: fmt.Sprintf("the other: exit %d %s", other.Exit, other.Trouble)}
	case other.Trouble != "":
		return Verdict{Class: "trouble: " + other.Trouble + ": " + Pattern(headline(other.Stderr)), Detail: other.Stderr}
	case reference.Exit != other.Exit:
		return Verdict{Class: fmt.Sprintf("exit %d, not %d: %s", other.Exit, reference.Exit, Pattern(difference)), Detail: textDetail(reference.Stderr, other.Stderr)}
	case difference != "":
		return Verdict{Class: "message: " + Pattern(difference), Detail: textDetail(reference.Stderr, other.Stderr)}
	case out != "":
		return Verdict{Class: "stdout: " + Pattern(out), Detail: textDetail(reference.Stdout, other.Stdout)}
	case (reference.Output == nil) != (other.Output == nil):
		return Verdict{Class: fmt.Sprintf("file written: %v, not %v", other.Output != nil, reference.Output != nil)}
	}
	match := codematch.Compare(reference.Output, other.Output)
	if bytes.Equal(reference.Output, match.Got) {
		return Verdict{Functions: match.Count}
	}
	report, err := diff.Compare(reference.Output, match.Got, diff.Options{NameA: "reference", NameB: "other"})
	if err != nil {
		return Verdict{Class: "bytes: unreadable", Detail: err.Error(), Functions: match.Count}
	}
	return Verdict{Class: "bytes: " + report.First().Class, Detail: report.String(), Functions: match.Count}
}

// headline is the line that says most: that of a panic, else the first.
func headline(text string) string {
	for _, line := range strings.Split(text, "\n") {
		if strings.HasPrefix(line, "panic:") || strings.HasPrefix(line, "fatal error:") {
			return line
		}
	}
	line, _, _ := strings.Cut(text, "\n")
	return line
}

// firstLine is the first line in which two texts differ, as "reference | other";
// empty when they are equal.
func firstLine(reference, other string) string {
	number, x, y := diff.FirstLine(reference, other)
	if number == 0 {
		return ""
	}
	return strings.TrimSuffix(x, "\n") + " | " + strings.TrimSuffix(y, "\n")
}

// textDetail shows in which lines two texts differ; empty when they are equal.
func textDetail(reference, other string) string {
	lines := diff.Lines(reference, other, 60)
	if lines == "" {
		return ""
	}
	return "- reference, + other:\n" + lines
}

var (
	quotedName = late.Regexp(`(^|\W)'[^']*'`)
	number     = late.Regexp(`\b(0x)?[0-9]+[0-9a-f]*\b`)
	address    = late.Regexp(`0x[0-9a-f]+`)
)

// Pattern replaces names and numbers of a message, so that equal kinds of
// messages become equal texts.
func Pattern(message string) string {
	s := quotedName().ReplaceAllString(message, "${1}'*'")
	s = address().ReplaceAllString(s, "N")
	s = number().ReplaceAllString(s, "N")
	s = strings.ReplaceAll(s, "nvlink ", "")
	if len(s) > 160 {
		s = s[:160]
	}
	return s
}
