// Package show makes text that is not trusted safe to display: names of symbols, sections, files and folders,
// and the output of programs.
//
// A name can contain anything. Examples are an escape sequence that moves the cursor or renames the window, a
// newline followed by a line that looks like a verdict, and characters that change the direction of writing. In
// culink's own output such characters are escaped as in Go strings: \x1b, \n, \u202e (DIAG-503). The messages
// of nvlink stay as nvlink prints them.
//
// Build servers interpret the output of a program. A line that begins with :: is a command to GitHub. For other
// build servers, ## before a bracket or vso[ is a command, anywhere in a line. The first character of these is
// escaped too.
package show

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// Line returns text as one line in which every character is visible.
func Line(text string) string { return escape(text, "") }

// Lines is Line for text with line breaks and tabs, which it does not escape.
func Lines(text string) string { return escape(text, "\n\t") }

// PlainJSON returns a JSON text in which every character that Line escapes is written as a JSON escape. The
// values of the strings do not change. Nothing in the resulting file moves a cursor or is a command to a build
// server.
func PlainJSON(data []byte) []byte {
	if !bytes.Contains(data, []byte("##")) && bytes.IndexFunc(data, func(r rune) bool { return r != '\n' && hidden(r, "\t") }) < 0 {
		return data
	}
	var plain []byte
	for len(data) > 0 {
		r, n := utf8.DecodeRune(data)
		switch {
		case r == '#' && bytes.HasPrefix(data, []byte("##")):
			plain = append(plain, `\u0023`...)
		case r >= 0x7f && hidden(r, ""): // below that are newlines and tabs between strings
			for _, unit := range utf16.AppendRune(nil, r) {
				plain = fmt.Appendf(plain, `\u%04x`, unit)
			}
		default:
			plain = append(plain, data[:n]...)
		}
		data = data[n:]
	}
	return plain
}

// JSONWriter returns a writer that writes JSON texts to w as [PlainJSON] returns them. Each text must be
// written in one call.
func JSONWriter(w io.Writer) io.Writer { return jsonWriter{w} }

type jsonWriter struct{ w io.Writer }

func (j jsonWriter) Write(data []byte) (int, error) {
	if _, err := j.w.Write(PlainJSON(data)); err != nil {
		return 0, err
	}
	return len(data), nil
}

// JSON returns a JSON text in which the characters of every string are escaped as Lines does.
func JSON(data []byte) []byte {
	var shown []byte
	for {
		start := bytes.IndexByte(data, '"')
		length := quotedLength(data[max(start, 0):])
		if start < 0 || length == 0 {
			return append(shown, data...)
		}
		quoted := data[start : start+length]
		shown = append(shown, data[:start]...)
		data = data[start+length:]
		var text string
		if json.Unmarshal(quoted, &text) == nil && Lines(text) != text {
			quoted, _ = json.Marshal(Lines(text)) // encoding a string cannot fail
		}
		shown = append(shown, quoted...)
	}
}

// quotedLength returns the length of the string at the start of a JSON text, including the quotation marks. It
// is 0 if the string has no end.
func quotedLength(data []byte) int {
	for i := 1; i < len(data); i++ {
		switch data[i] {
		case '"':
			return i + 1
		case '\\':
			i++
		}
	}
	return 0
}

// escape escapes the characters that are not visible, except those in keep. Text that needs no escapes does not
// change, not even its backslashes.
func escape(text, keep string) string {
	if strings.IndexFunc(text, func(r rune) bool { return hidden(r, keep) }) < 0 && utf8.ValidString(text) && !commands(text) {
		return text
	}
	var b []byte
	begins := true // at the start of a line, ignoring blanks
	for len(text) > 0 {
		r, n := utf8.DecodeRuneInString(text)
		command := strings.HasPrefix(text, "##") || begins && strings.HasPrefix(text, "::")
		begins = r == '\n' || begins && (r == ' ' || r == '\t')
		switch {
		case command:
			b = fmt.Appendf(b, `\x%02x`, r)
		case r == utf8.RuneError && n == 1:
			const digits = "0123456789abcdef"
			b = append(b, '\\', 'x', digits[text[0]>>4], digits[text[0]&15])
		case hidden(r, keep) || r == '\\':
			quoted := strconv.QuoteRune(r)
			b = append(b, quoted[1:len(quoted)-1]...)
		default:
			b = append(b, text[:n]...)
		}
		text = text[n:]
	}
	return string(b)
}

// commands reports whether a text contains a command to a build server.
func commands(text string) bool {
	if strings.Contains(text, "##") {
		return true
	}
	for line := range strings.Lines(text) {
		if strings.HasPrefix(strings.TrimLeft(line, " \t"), "::") {
			return true
		}
	}
	return false
}

// hidden reports whether a character is invisible, or changes the display of others.
func hidden(r rune, keep string) bool { return !unicode.IsPrint(r) && !strings.ContainsRune(keep, r) }
