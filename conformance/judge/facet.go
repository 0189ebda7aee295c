// Package judge compares outcomes of links with the wanted ones, facet by facet.
//
// A facet is one question about an outcome, independent of the others. For example, a linker with other messages can
// write the right files, and a linker with another layout can have the right exit status.
package judge

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/culink/culink/conformance/attempt"
	"github.com/culink/culink/conformance/codematch"
	"github.com/culink/culink/conformance/diff"
	"github.com/culink/culink/conformance/late"
	"github.com/culink/culink/conformance/suite"
)

// A Facet is the name of a question about an outcome.
type Facet string

// The facets, from coarse to fine.
const (
	FacetExit     Facet = "exit"     // exit status
	FacetMessages Facet = "messages" // stdout and stderr, without the name of the tool
	FacetFile     Facet = "file"     // which files are written, removed or untouched
	FacetSound    Facet = "sound"    // whether the cubin is a sound link of the inputs (package sound)
	FacetImage    Facet = "image"    // contents of cubins without the tool note and file offsets
	FacetBytes    Facet = "bytes"    // every byte of every file
	FacetDevice   Facet = "device"   // whether kernels behave on a GPU as nvlink's do; only on request
)

// Facets lists the facets of every run, in the order of reports.
var Facets = []Facet{FacetExit, FacetMessages, FacetFile, FacetSound, FacetImage, FacetBytes}

// AllFacets lists [Facets] and the facet that needs a GPU.
var AllFacets = append(slices.Clip(Facets), FacetDevice)

// ParseFacets reads a list of facets, separated by commas, and returns them in the order of reports. The empty list means
// [Facets].
func ParseFacets(list string) ([]Facet, error) {
	if list == "" {
		return Facets, nil
	}
	names := strings.Split(list, ",")
	for _, name := range names {
		if !slices.Contains(AllFacets, Facet(name)) {
			return nil, fmt.Errorf("unknown facet %q; there are %v", name, AllFacets)
		}
	}
	return slices.DeleteFunc(slices.Clone(AllFacets), func(f Facet) bool { return !slices.Contains(names, string(f)) }), nil
}

// A Difference is one difference between an outcome and the wanted one.
type Difference struct {
	Facet Facet `json:"-"`
	// Key names the place of the difference: "exit", "stderr", "out.cubin", or "out.cubin:section.text.k.bytes".
	Key  string `json:"key"`
	Want string `json:"want"` // short, printable
	Got  string `json:"got"`
	// Lines holds all lines of messages that differ. Want and Got hold the first of them.
	Lines string `json:"lines,omitempty"`
	// Cause is the cause of the difference, if it is known and the only one.
	Cause Cause `json:"cause,omitempty"`
}

func (d Difference) String() string {
	return fmt.Sprintf("%s %s: want %s, got %s", d.Facet, d.Key, d.Want, d.Got)
}

// Applies reports whether facet f judges the wanted outcome. The facets image and bytes need a file, sound needs a
// cubin, and device needs an executable.
func (f Facet) Applies(want *attempt.Outcome, expect suite.Expectation) bool {
	if f == FacetSound {
		return expect == suite.ExpectRightCode || expect == suite.ExpectRecorded && want.Exit == 0 && hasCubin(want)
	}
	if f == FacetDevice {
		return expect == suite.ExpectRecorded && want.Exit == 0 && hasExecutable(want)
	}
	if f == FacetImage || f == FacetBytes {
		return expect == suite.ExpectRecorded && len(want.Files) > 0
	}
	return true
}

// Compare compares an outcome with the wanted one on one facet. An outcome without a difference conforms. A linker that
// was stopped at a limit fails every facet. For the facet sound, use [Link], because this facet needs the link.
func Compare(f Facet, expect suite.Expectation, want, got *attempt.Outcome) []Difference {
	if !f.Applies(want, expect) {
		return nil
	}
	if got.Killed != "" {
		return []Difference{{Facet: f, Key: "killed", Want: "an end", Got: "killed at the limit of " + got.Killed}}
	}
	switch expect {
	case suite.ExpectCleanError:
		return judgeCleanError(f, got)
	case suite.ExpectRightCode:
		return judgeRightCode(f, got)
	}
	switch f {
	case FacetExit:
		if want.Exit != got.Exit {
			return []Difference{{Facet: f, Key: "exit", Want: showExit(want), Got: showExit(got)}}
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

// FirstDifference compares two outcomes on every facet. It returns nil if they agree.
func FirstDifference(want, got *attempt.Outcome) *Difference {
	for _, f := range Facets {
		if d := Compare(f, suite.ExpectRecorded, want, got); len(d) > 0 {
			return &d[0]
		}
	}
	return nil
}

// showExit returns an exit status as text. If the linker crashed or was stopped, the text tells that too.
func showExit(o *attempt.Outcome) string {
	if class := o.Class(); class != attempt.ClassEnd {
		return fmt.Sprintf("%d (%s)", o.Exit, class)
	}
	return strconv.Itoa(o.Exit)
}

// severities follow the name of the tool in a line of a message, padded to eight columns (DIAG-001).
var severities = []string{"info    : ", "warning : ", "error   : ", "fatal   : "}

const longestName = 4096 // of a path

// nameOf returns the name of the tool at the start of a line, if the line is a message. It reads only the name, because
// a line may have millions of bytes.
func nameOf(line []byte) (name string, ok bool) {
	blank := bytes.IndexAny(line[:min(len(line), longestName)], " \t\n\f\r")
	if blank <= 0 || line[blank] != ' ' {
		return "", false
	}
	rest := line[blank+1:]
	return string(line[:blank]), slices.ContainsFunc(severities, func(s string) bool { return bytes.HasPrefix(rest, []byte(s)) })
}

// renamed replaces the name of the tool in each message of a text.
func renamed(text []byte, rename func(name string) string) []byte {
	var out []byte
	for line := range bytes.Lines(text) {
		if name, ok := nameOf(line); ok {
			out = append(out, rename(name)...)
			line = line[len(name):]
		}
		out = append(out, line...)
	}
	return out
}

// Messages returns a printed text in which "tool" replaces the name of the tool in each message.
func Messages(text []byte) []byte {
	return renamed(text, func(string) string { return "tool" })
}

// recordedName is the name of the recorded tool in messages.
const recordedName = "nvlink"

// givenNames returns the tool names in messages that an option has set (OPT-108). These are all names except that of the
// recorded tool.
func givenNames(text []byte) map[string]bool {
	names := map[string]bool{}
	for line := range bytes.Lines(text) {
		if name, ok := nameOf(line); ok && name != recordedName {
			names[name] = true
		}
	}
	return names
}

// plainName matches names that a tool can have.
var plainName = late.Regexp(`^[A-Za-z0-9._+:/\\-]+$`)

// withoutOwnName does the same as [Messages], but keeps the names that an option has set. It recognises one name as the
// tool's own. Any other name is kept, and so is a difference.
func withoutOwnName(text []byte, given map[string]bool) []byte {
	own := ""
	return renamed(text, func(name string) string {
		if own == "" && !given[name] && plainName().MatchString(name) {
			own = name
		}
		if given[name] || name != own {
			return name
		}
		return "tool"
	})
}

func judgeText(key string, want, got []byte) []Difference {
	given := givenNames(want)
	want, got = withoutOwnName(want, given), withoutOwnName(got, given)
	if bytes.Equal(want, got) {
		return nil
	}
	number, w, g := diff.FirstLine(string(want), string(got))
	const mostLines = 60
	return []Difference{{
		Facet: FacetMessages, Key: fmt.Sprintf("%s.%d", key, number), Want: quote(w), Got: quote(g),
		Lines: diff.Lines(string(want), string(got), mostLines),
	}}
}

// quote returns a shortened line in quotes, or "nothing" for an empty line.
func quote(line string) string {
	if len(line) == 0 {
		return "nothing"
	}
	const most = 160
	if len(line) > most {
		return strconv.Quote(line[:most]) + "..."
	}
	return strconv.Quote(line)
}

func judgeFiles(want, got *attempt.Outcome) []Difference {
	var out []Difference
	for _, name := range want.Files.Names() {
		if _, ok := got.Files[name]; !ok {
			out = append(out, Difference{Facet: FacetFile, Key: name, Want: "written", Got: "not written"})
		}
	}
	for _, name := range got.Files.Names() {
		if _, ok := want.Files[name]; !ok {
			out = append(out, Difference{Facet: FacetFile, Key: name, Want: "untouched or absent", Got: "written"})
		}
	}
	for _, name := range got.Removed {
		out = append(out, Difference{Facet: FacetFile, Key: name, Want: "untouched", Got: "removed"})
	}
	return append(out, judgeMarks(want.Marks, got.Marks)...)
}

// judgeMarks compares the marks of two links.
func judgeMarks(want, got attempt.Marks) []Difference {
	show := func(mark string) string { return cmp.Or(mark, "nothing to remark") }
	var out []Difference
	all := maps.Clone(want)
	if all == nil {
		all = attempt.Marks{}
	}
	maps.Copy(all, got)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if want[name] != got[name] {
			out = append(out, Difference{Facet: FacetFile, Key: name, Want: show(want[name]), Got: show(got[name])})
		}
	}
	return out
}

// judgeContents compares each wanted file with the function compare. If a function differs only in its schedule, the
// difference has a separate key, "out.cubin:section.text.k.schedule". For compare such a function counts as equal.
func judgeContents(f Facet, want, got *attempt.Outcome, compare func(name string, want, got []byte) []Difference) []Difference {
	var out []Difference
	for _, name := range want.Files.Names() {
		data, ok := got.Files[name]
		if !ok {
			out = append(out, Difference{Facet: f, Key: name, Want: "written", Got: "not written"})
			continue
		}
		match := codematch.Compare(want.Files[name], data)
		differences := compare(name, want.Files[name], match.Got)
		for _, section := range match.Sections {
			differences = append(differences, Difference{Facet: f, Key: "section" + section + scheduleKey, Want: "nvlink's", Got: "another"})
		}
		for _, d := range differences {
			d.Key = strings.TrimSuffix(name+":"+d.Key, ":")
			out = append(out, d)
		}
	}
	return out
}

// compareBytes returns a list with the first difference of two byte strings.
func compareBytes(f Facet, key string, want, got []byte) []Difference {
	if bytes.Equal(want, got) {
		return nil
	}
	at := 0
	for at < len(want) && at < len(got) && want[at] == got[at] {
		at++
	}
	return []Difference{{Facet: f, Key: key, Want: bytesAt(want, at), Got: bytesAt(got, at)}}
}

// bytesAt shows the bytes at an offset of a byte string, as in "at 0x40 of 5120: 0a0b".
func bytesAt(data []byte, at int) string {
	end := min(at+8, len(data))
	if at == end {
		return fmt.Sprintf("the end at %#x", at)
	}
	return fmt.Sprintf("at %#x of %d: %x", at, len(data), data[at:end])
}

// judgeCleanError requires a failure with a message and without output.
func judgeCleanError(f Facet, got *attempt.Outcome) []Difference {
	switch f {
	case FacetExit:
		if got.Exit != 1 && got.Exit != 255 {
			return []Difference{{Facet: f, Key: "exit", Want: "1 or 255", Got: showExit(got)}}
		}
	case FacetMessages:
		if !hasError(got) {
			return []Difference{{Facet: f, Key: "stderr", Want: "an error", Got: quote(string(got.Stderr))}}
		}
	case FacetFile:
		return judgeFiles(&attempt.Outcome{}, got)
	}
	return nil
}

// judgeRightCode requires a link that succeeds. Its output is judged by the facet sound.
func judgeRightCode(f Facet, got *attempt.Outcome) []Difference {
	switch f {
	case FacetExit:
		if got.Exit != 0 {
			return []Difference{{Facet: f, Key: "exit", Want: "0", Got: showExit(got)}}
		}
	case FacetMessages:
		if hasError(got) {
			return []Difference{{Facet: f, Key: "stderr", Want: "no error", Got: quote(string(got.Stderr))}}
		}
	case FacetFile:
		if len(got.Files) == 0 {
			return []Difference{{Facet: f, Key: "output", Want: "written", Got: "not written"}}
		}
		return judgeMarks(nil, got.Marks)
	}
	return nil
}

// hasError reports whether an outcome has an error message.
func hasError(o *attempt.Outcome) bool {
	text := Messages(o.Stderr)
	return bytes.Contains(text, []byte("fatal   : ")) || bytes.Contains(text, []byte("error   : "))
}
