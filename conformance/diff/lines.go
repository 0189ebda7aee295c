package diff

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/sergi/go-diff/diffmatchpatch"
)

// Messages, dumps and registration files are texts. They are compared line by line, so an extra line is one difference,
// and not one in every later line.

// FirstLine returns the first line in which two texts differ: its number, counted from 1, and the line in each text with
// its newline. The line is empty for a text that has already ended. The number is 0 if the texts are equal.
func FirstLine(a, b string) (number int, inA, inB string) {
	for a != b {
		number++
		inA, a = cutLine(a)
		inB, b = cutLine(b)
		if inA != inB {
			return number, inA, inB
		}
	}
	return 0, "", ""
}

// cutLine cuts a text after its first newline.
func cutLine(text string) (line, rest string) {
	if i := strings.IndexByte(text, '\n'); i >= 0 {
		return text[:i+1], text[i+1:]
	}
	return text, ""
}

// isText reports whether data can be shown as lines.
func isText(data []byte) bool { return utf8.Valid(data) && !bytes.ContainsRune(data, 0) }

const (
	contextLines  = 3    // equal lines that are shown around a change
	comparedLines = 5000 // lines of each text that are compared, from the first difference on
	longestLine   = 1000 // bytes that are shown
)

// Lines returns the differences of two texts as a unified diff of at most limit lines. It returns the empty string if
// the texts are equal.
func Lines(a, b string, limit int) string {
	edits, number := compareLines(a, b)
	var out []string
	for from := 0; from < len(edits); {
		end := hunkEnd(edits, from)
		if end == from { // the next change is beyond the context lines
			from, number = from+1, number.after(edits[from])
			continue
		}
		behind := number
		for _, e := range edits[from:end] {
			behind = behind.after(e)
		}
		out = append(out, fmt.Sprintf("@@ -%d,%d +%d,%d @@", number.a, behind.a-number.a, number.b, behind.b-number.b))
		for _, e := range edits[from:end] {
			out = append(out, e.String())
		}
		from, number = end, behind
	}
	if len(out) > limit {
		out = append(out[:limit], fmt.Sprintf("... and %d more lines", len(out)-limit))
	}
	if out == nil {
		return ""
	}
	return strings.Join(out, "\n") + "\n"
}

// A lineEdit is a line of both texts (' '), of the first text only ('-'), or of the second only ('+').
type lineEdit struct {
	mark byte
	line string
}

// String returns the mark and the line. It quotes a line with characters that a terminal would not print unchanged.
func (e lineEdit) String() string {
	line, ended := strings.CutSuffix(e.line, "\n")
	if more := len(line) - longestLine; more > 0 {
		line, ended = fmt.Sprintf("%s... and %d more bytes", line[:longestLine], more), true
	}
	if !utf8.ValidString(line) || strings.ContainsFunc(line, func(r rune) bool { return !unicode.IsPrint(r) && r != '\t' }) {
		line = strconv.Quote(line)
	}
	if !ended {
		line += "\n\\ no newline at the end"
	}
	return string(e.mark) + line
}

// lineNumbers holds the number of the next line of each text.
type lineNumbers struct{ a, b int }

func (n lineNumbers) after(e lineEdit) lineNumbers {
	if e.mark != '+' {
		n.a++
	}
	if e.mark != '-' {
		n.b++
	}
	return n
}

// hunkEnd returns the end of the hunk that begins at an edit. A hunk ends with the context lines after its last change.
// If there is no change within the context lines, hunkEnd returns the index of the edit itself.
func hunkEnd(edits []lineEdit, from int) int {
	end := from
	for i := from; i < len(edits) && i <= max(end, from)+contextLines; i++ {
		if edits[i].mark != ' ' {
			end = min(i+1+contextLines, len(edits))
		}
	}
	return end
}

// compareLines returns the edits that turn a into b, and the line numbers at which they start. They start a few lines
// before the first difference.
func compareLines(a, b string) ([]lineEdit, lineNumbers) {
	number, _, _ := FirstLine(a, b)
	if number == 0 {
		return nil, lineNumbers{}
	}
	start := max(number-contextLines, 1)
	for range start - 1 {
		_, a = cutLine(a)
		_, b = cutLine(b)
	}
	// The comparison uses one rune for each line. Its default time limit is off, because results would then
	// depend on the machine.
	differ := diffmatchpatch.New()
	differ.DiffTimeout = 0
	lettersA, lettersB, lines := differ.DiffLinesToRunes(firstLines(a), firstLines(b))
	var edits []lineEdit
	for _, d := range differ.DiffCharsToLines(differ.DiffMainRunes(lettersA, lettersB, false), lines) {
		mark := map[diffmatchpatch.Operation]byte{diffmatchpatch.DiffEqual: ' ', diffmatchpatch.DiffDelete: '-', diffmatchpatch.DiffInsert: '+'}[d.Type]
		for line := range strings.Lines(d.Text) {
			edits = append(edits, lineEdit{mark, line})
		}
	}
	return edits, lineNumbers{start, start}
}

// firstLines returns the part of a text that is compared.
func firstLines(text string) string {
	end := 0
	for range comparedLines {
		line, rest := cutLine(text[end:])
		end += len(line)
		if rest == "" {
			break
		}
	}
	return text[:end]
}
