package hunt

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"

	"github.com/culink/culink/conformance/diff"
)

// A verdict says whether two linkers did the same, and otherwise in what they
// differ first.
type verdict struct {
	class  string // what all differences of this kind have in common; empty: the same
	detail string

	reference, other outcome
}

// judge runs all steps of a trial with both linkers.
func (h *hunter) judge(t *trial) (verdict, error) {
	files, err := t.files(h.oracle)
	if err != nil {
		return verdict{}, err
	}
	var last outcome
	for _, s := range t.steps() {
		other, err := link(h.linker, files, s)
		if err != nil {
			return verdict{}, err
		}
		reference, err := link(h.reference, files, s)
		if err != nil {
			return verdict{}, err
		}
		if v := compare(reference, other); v.class != "" {
			v.reference, v.other = reference, other
			if s.output == partialOutput {
				v.class = "partial " + v.class
			}
			return v, nil
		}
		last = reference
		if reference.output == nil {
			break
		}
		files[s.output] = reference.output
	}
	return verdict{reference: last}, nil
}

func compare(reference, other outcome) verdict {
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
		return verdict{class: fmt.Sprintf("exit %d, not %d: %s", other.exit, reference.exit, pattern(difference)), detail: difference}
	case difference != "":
		return verdict{class: "message: " + pattern(difference), detail: difference}
	case out != "":
		return verdict{class: "stdout: " + pattern(out), detail: out}
	case (reference.output == nil) != (other.output == nil):
		return verdict{class: fmt.Sprintf("file written: %v, not %v", other.output != nil, reference.output != nil)}
	case bytes.Equal(reference.output, other.output):
		return verdict{}
	}
	report, err := diff.Compare(reference.output, other.output, diff.Options{NameA: "reference", NameB: "other"})
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
	quotedName = regexp.MustCompile(`(^|\W)'[^']*'`)
	number     = regexp.MustCompile(`\b(0x)?[0-9]+[0-9a-f]*\b`)
	address    = regexp.MustCompile(`0x[0-9a-f]+`)
)

// pattern replaces names and numbers of a message, so that equal kinds of
// messages become equal texts.
func pattern(message string) string {
	s := quotedName.ReplaceAllString(message, "${1}'*'")
	s = address.ReplaceAllString(s, "N")
	s = number.ReplaceAllString(s, "N")
	s = strings.ReplaceAll(s, "nvlink ", "")
	if len(s) > 160 {
		s = s[:160]
	}
	return s
}
