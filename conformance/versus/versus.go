// Package versus compares two linkers on the same inputs: a linker under test, and the reference.
//
// A [Pair] runs a step with both linkers. It compares exit status, messages and bytes. It also checks each output by
// itself for soundness. A difference has a class: the first message, or the first key of package diff, without names. If
// docs/errata.md lists the difference as intended, the verdict names the entry (choice.go).
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

// A Pair is a linker under test and the reference.
type Pair struct {
	Linker, Reference Runner
	Server            Runner // runs before the reference; nil if there is none
	ImageOnly         bool   // judge only success and the image
	Sound             bool   // also check outputs on which both linkers agree for soundness
	Relocates         bool   // whether -r writes a relocatable file in this release (KIT-015)
	Toolkit           string // release of the reference; empty for that of the recordings
	Platform          string // system of the reference; empty for this one
}

// selecting returns the options of culink that select the release and the system of the reference.
func (p *Pair) selecting() (options []string) {
	if p.Toolkit != "" {
		options = append(options, "--toolkit="+p.Toolkit)
	}
	if p.Platform != "" {
		options = append(options, "--platform="+p.Platform)
	}
	return options
}

// A Verdict reports whether two linkers behaved the same. If not, it describes the first difference.
type Verdict struct {
	Class  string // common to all differences of this kind; empty if there is no difference
	Detail string

	// Functions counts the functions of outputs for sm_100 and later. If Class is empty, they differ at most in their
	// schedules.
	Functions codematch.Count

	Reference, Other Outcome

	Choice  string // id of the entry in docs/errata.md that explains the difference; Class is then empty
	Chosen  string // with Choice, the class of the difference
	Refused bool   // the linker refuses to lose relocations, and links with the option that accepts the loss
}

// Judge runs one step with both linkers.
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
	if p.Sound && v.Reference.Output != nil && other.Output != nil && !s.choosesKernels(files) {
		found := judged(func() Verdict { return p.unsound(files, s, v.Reference.Output) })
		v.Class, v.Detail = found.Class, found.Detail
		if found.Class == unsoundCode && !bytes.Equal(v.Reference.Output, other.Output) && judged(func() Verdict { return p.unsound(files, s, other.Output) }).Class == "" {
			found.Choice = unsafeSchedule
		}
		if found.Choice != "" {
			return v.chosen(found.Choice, false), nil
		}
	}
	return v, nil
}

// chosen returns the verdict for a difference that docs/errata.md lists as intended.
func (v Verdict) chosen(id string, refused bool) Verdict {
	v.Chosen, v.Class, v.Detail, v.Choice, v.Refused = v.Class, "", "", id, refused
	return v
}

// ask compares the outcome of the linker under test with the reference. If there is a server, ask first compares the
// image that the server returns. If the server rejects the link or its image differs, the reference decides, because a
// library may have fewer options than nvlink and may accept more inputs.
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

// unsound checks an output with package sound. It skips links that choose kernels by name:
// they leave other kernels incomplete, and the checker cannot find out which.
func (p *Pair) unsound(files attempt.Files, s Step, output []byte) Verdict {
	link, _, err := sound.FromCommand(context.Background(), files, slices.Concat(p.selecting(), s.Args))
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
	v := Verdict{Class: "unsound: " + kind, Detail: lines.String()}
	accepted := slotsForDistances
	if link.Target.Mercury() {
		link.UnsafeFences, accepted = true, unsafeSchedule
	} else {
		link.SlotsForDistances = true
	}
	if len(sound.Check(*link, output)) == 0 {
		v.Choice = accepted
	}
	return v
}

// unsafeSchedule is the erratum for outputs that differ in schedules, of which only that of the reference is unsafe, and for
// outputs that both linkers make, and that are unsafe in fences alone.
const unsafeSchedule = "E-540"

// unsoundCode is the class of an output whose machine code is unsound.
const unsoundCode = "unsound: code"

// slotsForDistances is the erratum for outputs that both linkers make, and that are unsound in this alone.
const slotsForDistances = "E-380"

// failedJudge is the class of links on which the comparison itself panics, for example because of a malformed file
// (CONF-015).
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

// judged returns the verdict of ask, or one of class failedJudge if ask panics.
func judged(ask func() Verdict) (v Verdict) {
	if failure := judge.Guarded(func() { v = ask() }); failure != "" {
		return Verdict{Class: failedJudge, Detail: failure}
	}
	return v
}

// compareImages checks whether both linkers succeed and write the same image.
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
			return Verdict{} // the reference crashes, so a clear error is correct
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
	want := withoutFolder(reference.Output)
	match := codematch.Compare(want, withoutFolder(other.Output))
	if bytes.Equal(want, match.Got) {
		return Verdict{Functions: match.Count}
	}
	report, err := diff.Compare(want, match.Got, diff.Options{NameA: "reference", NameB: "other"})
	if err != nil {
		return Verdict{Class: "bytes: unreadable", Detail: err.Error(), Functions: match.Count}
	}
	return Verdict{Class: "bytes: " + report.First().Class, Detail: report.String(), Functions: match.Count}
}

// headline returns the most informative line of a text: that of a panic, or else the first.
func headline(text string) string {
	for _, line := range strings.Split(text, "\n") {
		if strings.HasPrefix(line, "panic:") || strings.HasPrefix(line, "fatal error:") {
			return line
		}
	}
	line, _, _ := strings.Cut(text, "\n")
	return line
}

// firstLine returns the first line in which two texts differ, as "reference | other". It returns the empty string if
// they are equal.
func firstLine(reference, other string) string {
	number, x, y := diff.FirstLine(reference, other)
	if number == 0 {
		return ""
	}
	return strings.TrimSuffix(x, "\n") + " | " + strings.TrimSuffix(y, "\n")
}

// textDetail shows the lines in which two texts differ. It returns the empty string if they are equal.
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

// Pattern replaces names and numbers in a message, so that messages of one kind become equal texts.
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
