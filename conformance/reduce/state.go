package reduce

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/culink/culink/conformance/attempt"
	"github.com/culink/culink/linker/cubintext"
)

// A state is a link in a form from which parts can be removed: the words of its command line, and its files. Cubins are
// lines of text. A change does not modify a state, but returns a new one.
type state struct {
	argv  []string
	texts map[string][]string // lines of the cubins, by file name
	files attempt.Files       // all others
}

// newState makes a state from a link.
func newState(link attempt.Link) state {
	s := state{argv: slices.Clone(link.Argv), texts: map[string][]string{}, files: attempt.Files{}}
	for name, data := range link.Before {
		if lines, ok := textOf(data); ok {
			s.texts[name] = lines
		} else {
			s.files[name] = data
		}
	}
	return s
}

// textOf returns the lines of a cubin. ok is false if the text form cannot be turned back into the same bytes.
func textOf(data []byte) ([]string, bool) {
	if !bytes.HasPrefix(data, []byte("\x7fELF")) {
		return nil, false
	}
	text := cubintext.Format(data)
	built, err := cubintext.Parse("", text)
	if err != nil || !bytes.Equal(built, data) {
		return nil, false
	}
	return strings.Split(strings.TrimRight(text, "\n"), "\n"), true
}

// link makes the link of a state. It fails if the text of a cubin is no longer valid.
func (s state) link() (attempt.Link, error) {
	link := attempt.Link{Argv: s.argv, Before: maps.Clone(s.files)}
	for name, lines := range s.texts {
		data, err := cubintext.Parse(name, strings.Join(lines, "\n")+"\n")
		if err != nil {
			return link, err
		}
		link.Before[name] = data
	}
	return link, nil
}

// readable reports whether all sections that have a name in old still have one.
func (s state) readable(old state) bool {
	const names = "section .shstrtab"
	for file, lines := range s.texts {
		if slices.Contains(old.texts[file], names) && !slices.Contains(lines, names) {
			return false
		}
	}
	return true
}

// names returns the names of the cubins, in order.
func (s state) names() []string { return slices.Sorted(maps.Keys(s.texts)) }

// withText returns s with the lines of one cubin replaced.
func (s state) withText(name string, lines []string) state {
	s.texts = maps.Clone(s.texts)
	s.texts[name] = lines
	return s
}

// without returns s without a file.
func (s state) without(name string) state {
	s.texts, s.files = maps.Clone(s.texts), maps.Clone(s.files)
	delete(s.texts, name)
	delete(s.files, name)
	return s
}

// size describes the size of s.
func (s state) size() string {
	lines := 0
	for _, text := range s.texts {
		lines += len(text)
	}
	return fmt.Sprintf("%d words, %d files, %d lines", len(s.argv), len(s.texts)+len(s.files), lines)
}
