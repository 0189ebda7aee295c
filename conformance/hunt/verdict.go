package hunt

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

// A verdict says whether two linkers did the same, and otherwise in what they
// differ first.
type verdict struct {
	class  string // what all differences of this kind have in common; empty: the same
	detail string

	// functions of the outputs for sm_100 and later, equal in all but schedules when class
	// is empty
	functions codematch.Count

	reference, other outcome

	byChoice bool // they differ where docs/errata.md says so
	refused  bool // one of these: the loss of relocations is refused, and accepted when told so
}

// judge runs all steps of a trial with both linkers.
func (h *hunter) judge(t *trial) (verdict, error) {
	files, err := t.files(h.oracle)
	if err != nil {
		return verdict{}, err
	}
	var last outcome
	var functions codematch.Count
	for _, s := range t.steps() {
		other, err := link(h.linker, files, s)
		if err != nil {
			return verdict{}, err
		}
		refused := refusesLoss(other)
		if refused {
			if other, err = acceptLoss(h.linker, files, s); err != nil {
				return verdict{}, err
			}
		}
		reference, v, err := h.ask(files, s, other)
		if err != nil {
			return verdict{}, err
		}
		if refused && failsForLoss(s, other) {
			return verdict{byChoice: true, refused: true, functions: functions, reference: reference}, nil
		}
		functions.Add(v.functions)
		if v.class != "" && (joinsConstants(files, s, h.relocates) || replacesTables(files, s, v.class) || mistakesRelocations(files, s) || losesRegisters(files, s) || repairs(h.linker, files, s, reference)) {
			return verdict{byChoice: true, functions: functions, reference: reference}, nil
		}
		if v.class != "" {
			v.reference, v.other, v.functions = reference, other, functions
			if s.output == partialOutput {
				v.class = "partial " + v.class
			}
			if refused {
				v.class = "refused, and accepted: " + v.class
			}
			return v, nil
		}
		if refused {
			return verdict{byChoice: true, refused: true, functions: functions, reference: reference}, nil
		}
		last = reference
		if reference.output == nil {
			break
		}
		if h.sound && other.output != nil && !s.choosesByName() {
			if class, detail := h.unsound(files, s, reference.output); class != "" {
				return verdict{class: class, detail: detail, functions: functions, reference: reference, other: other}, nil
			}
		}
		files[s.output] = reference.output
	}
	return verdict{reference: last, functions: functions}, nil
}

// ask judges what the other linker did in one step: by the image that the server makes, if
// there is one. What the server refuses, or makes otherwise, the reference judges: a library
// may have fewer options than the tool, and let more inputs pass.
func (h *hunter) ask(files attempt.Files, s step, other outcome) (reference outcome, v verdict, err error) {
	if h.server != nil {
		if reference, err = link(h.server, files, s); err != nil {
			return reference, v, err
		}
		if v = compare(reference, other, true); v.class == "" {
			return reference, v, nil
		}
	}
	reference, err = link(h.reference, files, s)
	return reference, compare(reference, other, h.imageOnly), err
}

// unsound judges what both linkers have written by itself (package sound), but for what
// the checker cannot tell: kernels that are chosen by name leave others half linked.
func (h *hunter) unsound(files attempt.Files, s step, output []byte) (class, detail string) {
	link, _, err := sound.FromCommand(context.Background(), files, slices.Concat(h.toolkit, s.args))
	switch {
	case errors.Is(err, sound.ErrNoCubin):
		return "", ""
	case err != nil:
		return "unsound: inputs", err.Error()
	}
	findings := sound.Check(*link, output)
	if len(findings) == 0 {
		return "", ""
	}
	var lines strings.Builder
	for _, f := range findings {
		fmt.Fprintln(&lines, f)
	}
	kind, _, _ := strings.Cut(findings[0].Key, ".")
	return "unsound: " + kind, lines.String()
}

func compare(reference, other outcome, imageOnly bool) verdict {
	if imageOnly && reference.trouble == "" && other.trouble == "" {
		return compareImages(reference, other)
	}
	return compareAll(reference, other)
}

// compareImages asks whether both linkers succeed, and make the same image.
func compareImages(reference, other outcome) verdict {
	if (reference.exit == 0) != (other.exit == 0) {
		return verdict{class: fmt.Sprintf("exit %d, not %d", other.exit, reference.exit), detail: textDetail(reference.stderr, other.stderr)}
	}
	if reference.output == nil && other.output == nil {
		return verdict{}
	}
	const name = "out.cubin"
	match := codematch.Compare(reference.output, other.output)
	files := func(output []byte) *attempt.Outcome {
		out := &attempt.Outcome{Files: attempt.Files{}}
		if output != nil {
			out.Files[name] = output
		}
		return out
	}
	for _, f := range []judge.Facet{judge.FacetFile, judge.FacetImage} {
		if d := judge.Compare(f, suite.ExpectRecorded, files(reference.output), files(match.Got)); len(d) > 0 {
			return verdict{functions: match.Count, class: string(f) + ": " + pattern(strings.TrimPrefix(d[0].Key, name+":")), detail: d[0].String()}
		}
	}
	return verdict{functions: match.Count}
}

func compareAll(reference, other outcome) verdict {
	difference := firstLine(reference.stderr, other.stderr)
	out := firstLine(reference.stdout, other.stdout)
	switch {
	case reference.trouble != "":
		if other.exit != 0 && other.trouble == "" && other.output == nil {
			return verdict{} // a clear error where the reference crashes is what we want
		}
		return verdict{class: "reference " + reference.trouble, detail: fmt.Sprintf("the other: exit %d %s", other.exit, other.trouble)}
	case other.trouble != "":
		return verdict{class: "trouble: " + other.trouble + ": " + pattern(headline(other.stderr)), detail: other.stderr}
	case reference.exit != other.exit:
		return verdict{class: fmt.Sprintf("exit %d, not %d: %s", other.exit, reference.exit, pattern(difference)), detail: textDetail(reference.stderr, other.stderr)}
	case difference != "":
		return verdict{class: "message: " + pattern(difference), detail: textDetail(reference.stderr, other.stderr)}
	case out != "":
		return verdict{class: "stdout: " + pattern(out), detail: textDetail(reference.stdout, other.stdout)}
	case (reference.output == nil) != (other.output == nil):
		return verdict{class: fmt.Sprintf("file written: %v, not %v", other.output != nil, reference.output != nil)}
	}
	match := codematch.Compare(reference.output, other.output)
	if bytes.Equal(reference.output, match.Got) {
		return verdict{functions: match.Count}
	}
	report, err := diff.Compare(reference.output, match.Got, diff.Options{NameA: "reference", NameB: "other"})
	if err != nil {
		return verdict{class: "bytes: unreadable", detail: err.Error(), functions: match.Count}
	}
	return verdict{class: "bytes: " + report.First().Class, detail: report.String(), functions: match.Count}
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

// pattern replaces names and numbers of a message, so that equal kinds of
// messages become equal texts.
func pattern(message string) string {
	s := quotedName().ReplaceAllString(message, "${1}'*'")
	s = address().ReplaceAllString(s, "N")
	s = number().ReplaceAllString(s, "N")
	s = strings.ReplaceAll(s, "nvlink ", "")
	if len(s) > 160 {
		s = s[:160]
	}
	return s
}
