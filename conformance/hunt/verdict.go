package hunt

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/culink/culink/conformance/diff"
)

// A verdict says whether two linkers did the same, and otherwise in what they
// differ first.
type verdict struct {
	class  string // what all differences of this kind have in common; empty: the same
	detail string
	step   int // in which link of the trial

	reference, other outcome
}

// judge runs all steps of a trial with both linkers, in dir.
func (h *hunter) judge(t *trial, dir string) (verdict, error) {
	if err := t.write(dir, h.oracle); err != nil {
		return verdict{}, err
	}
	var last outcome
	for i, s := range t.steps() {
		other := h.linker.link(dir, s.args, s.output)
		reference := h.reference.link(dir, s.args, s.output)
		v := compare(reference, other)
		if v.class != "" {
			v.step, v.reference, v.other = i, reference, other
			if s.output == "partial.cubin" {
				v.class = "partial " + v.class
			}
			return v, nil
		}
		last = reference
		if reference.Output == nil {
			break
		}
		if err := os.WriteFile(filepath.Join(dir, s.output), reference.Output, 0o666); err != nil {
			return verdict{}, err
		}
	}
	return verdict{reference: last}, nil
}

func compare(reference, other outcome) verdict {
	difference := firstLine(reference.Stderr, other.Stderr)
	out := firstLine(reference.Stdout, other.Stdout)
	switch {
	case reference.Trouble != "":
		if other.Exit == 1 && other.Trouble == "" {
			return verdict{} // a clear error where the reference crashes is what we want
		}
		return verdict{class: "reference " + reference.Trouble, detail: fmt.Sprintf("the other: exit %d %s", other.Exit, other.Trouble)}
	case other.Trouble != "":
		return verdict{class: "trouble: " + other.Trouble + ": " + pattern(headline(other.Stderr)), detail: other.Stderr}
	case reference.Exit != other.Exit:
		return verdict{class: fmt.Sprintf("exit %d, not %d: %s", other.Exit, reference.Exit, pattern(difference)), detail: difference}
	case difference != "":
		return verdict{class: "message: " + pattern(difference), detail: difference}
	case out != "":
		return verdict{class: "stdout: " + pattern(out), detail: out}
	case (reference.Output == nil) != (other.Output == nil):
		return verdict{class: fmt.Sprintf("file written: %v, not %v", other.Output != nil, reference.Output != nil)}
	case bytes.Equal(reference.Output, other.Output):
		return verdict{}
	}
	report, err := diff.Compare(reference.Output, other.Output, diff.Options{NameA: "reference", NameB: "other"})
	if err != nil {
		return verdict{class: "bytes: unreadable", detail: err.Error()}
	}
	return verdict{class: "bytes: " + report.First().Class, detail: report.String()}
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
	if reference == other {
		return ""
	}
	a, b := strings.Split(reference, "\n"), strings.Split(other, "\n")
	for i := range max(len(a), len(b)) {
		var x, y string
		if i < len(a) {
			x = a[i]
		}
		if i < len(b) {
			y = b[i]
		}
		if x != y {
			return x + " | " + y
		}
	}
	return ""
}

var (
	quotedName = regexp.MustCompile(`'[^']*'`)
	number     = regexp.MustCompile(`\b(0x)?[0-9]+[0-9a-f]*\b`)
	address    = regexp.MustCompile(`0x[0-9a-f]+`)
)

// pattern replaces names and numbers of a message, so that equal kinds of
// messages become equal texts.
func pattern(message string) string {
	s := quotedName.ReplaceAllString(message, "'*'")
	s = address.ReplaceAllString(s, "N")
	s = number.ReplaceAllString(s, "N")
	s = strings.ReplaceAll(s, "nvlink ", "")
	if len(s) > 160 {
		s = s[:160]
	}
	return s
}
