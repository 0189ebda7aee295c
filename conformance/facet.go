package conformance

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A facet is one question about an outcome, independent of the others: a
// linker with its own message texts can still write the right files, and one
// with another layout can still give the right exit status.

// A Facet names one of the questions.
type Facet string

// The facets, from coarse to fine.
const (
	FacetExit     Facet = "exit"     // exit status
	FacetMessages Facet = "messages" // stdout and stderr, the tool's name aside
	FacetFile     Facet = "file"     // which files are written, absent, untouched
	FacetImage    Facet = "image"    // contents of cubins but the tool note and file offsets
	FacetBytes    Facet = "bytes"    // every byte of every file
)

// Facets lists all facets in the order of reports.
var Facets = []Facet{FacetExit, FacetMessages, FacetFile, FacetImage, FacetBytes}

// A Difference is one way in which an outcome is not the wanted one.
type Difference struct {
	Facet Facet
	// Key names the place: "exit", "stderr", "out.cubin",
	// "out.cubin:section.text.k.bytes".
	Key       string
	Want, Got string // short, printable
}

func (d Difference) String() string {
	return fmt.Sprintf("%s %s: want %s, got %s", d.Facet, d.Key, d.Want, d.Got)
}

// Applies tells whether facet f asks anything about the wanted outcome:
// image and bytes need a written file.
func (f Facet) Applies(want *Outcome, expect Expectation) bool {
	if f == FacetImage || f == FacetBytes {
		return expect == ExpectRecorded && len(want.Files) > 0
	}
	return true
}

// Judge compares an outcome with the wanted one on one facet. No difference
// means that it conforms. A child that had to be killed fails every facet.
func Judge(f Facet, expect Expectation, want, got *Outcome) []Difference {
	if !f.Applies(want, expect) {
		return nil
	}
	if got.Killed != "" {
		return []Difference{{f, "killed", "an end", "killed at the limit of " + got.Killed}}
	}
	if expect == ExpectCleanError {
		return judgeCleanError(f, got)
	}
	switch f {
	case FacetExit:
		if want.Exit != got.Exit {
			return []Difference{{f, "exit", strconv.Itoa(want.Exit), strconv.Itoa(got.Exit)}}
		}
	case FacetMessages:
		return slices.Concat(
			judgeText("stderr", want.Stderr, got.Stderr),
			judgeText("stdout", want.Stdout, got.Stdout))
	case FacetFile:
		return judgeFiles(want, got)
	case FacetImage:
		return judgeContents(f, want, got, compareImages)
	case FacetBytes:
		return judgeContents(f, want, got, func(_ string, want, got []byte) []Difference {
			return compareBytes(f, "", want, got)
		})
	}
	return nil
}

// toolPrefix is the start of a message line: the tool's name, its severity
// padded to eight columns (DIAG-001).
var toolPrefix = regexp.MustCompile(`(?m)^\S+ ((?:info    |warning |error   |fatal   ): )`)

// Messages is printed text with "tool" for the tool's name in each message.
func Messages(text []byte) []byte {
	return toolPrefix.ReplaceAll(text, []byte("tool $1"))
}

func judgeText(key string, want, got []byte) []Difference {
	want, got = Messages(want), Messages(got)
	if bytes.Equal(want, got) {
		return nil
	}
	w, g := bytes.SplitAfter(want, []byte("\n")), bytes.SplitAfter(got, []byte("\n"))
	i := 0
	for i < len(w)-1 && i < len(g)-1 && bytes.Equal(w[i], g[i]) {
		i++
	}
	return []Difference{{FacetMessages, fmt.Sprintf("%s.%d", key, i+1), quote(w[i]), quote(g[i])}}
}

// quote makes a line printable, "nothing" for an empty one.
func quote(line []byte) string {
	if len(line) == 0 {
		return "nothing"
	}
	const most = 160
	if len(line) > most {
		return strconv.Quote(string(line[:most])) + "..."
	}
	return strconv.Quote(string(line))
}

func judgeFiles(want, got *Outcome) []Difference {
	var out []Difference
	for _, name := range want.Files.Names() {
		if _, ok := got.Files[name]; !ok {
			out = append(out, Difference{FacetFile, name, "written", "not written"})
		}
	}
	for _, name := range got.Files.Names() {
		if _, ok := want.Files[name]; !ok {
			out = append(out, Difference{FacetFile, name, "untouched or absent", "written"})
		}
	}
	for _, name := range got.Removed {
		out = append(out, Difference{FacetFile, name, "untouched", "removed"})
	}
	return out
}

// judgeContents compares each wanted file with compare.
func judgeContents(f Facet, want, got *Outcome, compare func(name string, want, got []byte) []Difference) []Difference {
	var out []Difference
	for _, name := range want.Files.Names() {
		data, ok := got.Files[name]
		if !ok {
			out = append(out, Difference{f, name, "written", "not written"})
			continue
		}
		for _, d := range compare(name, want.Files[name], data) {
			d.Key = strings.TrimSuffix(name+":"+d.Key, ":")
			out = append(out, d)
		}
	}
	return out
}

// compareBytes gives the first difference of two byte strings.
func compareBytes(f Facet, key string, want, got []byte) []Difference {
	if bytes.Equal(want, got) {
		return nil
	}
	at := 0
	for at < len(want) && at < len(got) && want[at] == got[at] {
		at++
	}
	return []Difference{{f, key, show(want, at), show(got, at)}}
}

// show is what stands at an offset of a byte string: "at 0x40 of 5120: 0a0b".
func show(data []byte, at int) string {
	end := min(at+8, len(data))
	if at == end {
		return fmt.Sprintf("the end at %#x", at)
	}
	return fmt.Sprintf("at %#x of %d: %x", at, len(data), data[at:end])
}

// judgeCleanError asks for a failure that says why and writes nothing.
func judgeCleanError(f Facet, got *Outcome) []Difference {
	switch f {
	case FacetExit:
		if got.Exit != 1 && got.Exit != 255 {
			return []Difference{{f, "exit", "1 or 255", strconv.Itoa(got.Exit)}}
		}
	case FacetMessages:
		if !bytes.Contains(Messages(got.Stderr), []byte("fatal   : ")) && !bytes.Contains(Messages(got.Stderr), []byte("error   : ")) {
			return []Difference{{f, "stderr", "an error", quote(got.Stderr)}}
		}
	case FacetFile:
		return judgeFiles(&Outcome{}, got)
	}
	return nil
}
