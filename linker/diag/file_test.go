package diag

import (
	"regexp"
	"strings"
	"testing"
)

// Every message with a value that its text describes as a file has an entry for that value (OPT-503).
func TestFileValues(t *testing.T) {
	verb := regexp.MustCompile(`%[a-z]`)
	file := regexp.MustCompile(`(?i)(input file|options file opened|open file|options file|output file|read file|write file|in file|in) '?%s`)
	for id := None + 1; id < numMessages; id++ {
		m := messages[id]
		at, known := fileValue[id]
		verbs := verb.FindAllString(m.Format, -1)
		if known && (at >= len(verbs) || verbs[at] != "%s") {
			t.Errorf("%s: value %d of %q is no name", m.Name, at, m.Format)
		}
		place := file.FindStringIndex(m.Format)
		if place == nil {
			continue
		}
		if want := strings.Count(m.Format[:place[1]-2], "%"); !known || at != want {
			t.Errorf("%s: the file of %q is value %d (known: %v), want %d", m.Name, m.Format, at, known, want)
		}
	}
	for id, args := range map[ID][]any{CannotOpenInput: {"a"}, OutputLimited: {90, "a"}, MultipleDefinition: {"f", "a", "b"}, SkippingIncompatible: {"a", "b"}} {
		if got := New(id, args...).File(); got != "a" {
			t.Errorf("%s: file %q", messages[id].Name, got)
		}
	}
	if got := New(UnknownOption, "a").File(); got != "" {
		t.Errorf("an option is the file %q", got)
	}
	if got := New(SizeMismatch, "t", "<input>", "a").File(); got != "" {
		t.Errorf("a texture is in the file %q", got)
	}
	for _, d := range []Diagnostic{New(OutputLimited), New(OutputLimited, 90)} {
		if got := d.File(); got != "" {
			t.Errorf("with %d values: file %q", len(d.Args), got)
		}
	}
}
