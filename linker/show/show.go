// Package show makes text from strangers fit for people: names of symbols, sections, files and
// folders, and what programs print.
//
// A name can hold anything: an escape sequence that moves the cursor or renames the window, a
// newline that begins a line which looks like a verdict, marks that turn the direction of
// writing. In all that is culink's own such characters are written as Go writes them in
// strings, \x1b, \n, \u202e (DIAG-503). The messages of nvlink stay as nvlink prints them.
//
// Build servers read what a program prints: a line that begins with :: is a command to GitHub, and ## before a bracket or vso[ one
// to others, wherever it stands. The first character of these is written so, too.
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

// Line returns text as one line, in which every character can be seen.
func Line(text string) string { return escape(text, "") }

// Lines is Line for text that has lines and tabs of its own.
func Lines(text string) string { return escape(text, "\n\t") }

// PlainJSON returns a JSON text in which every character that Line escapes is written as JSON escapes it: the strings stay what
// they are, and nothing in the file moves a cursor or commands a build server.
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
		case r >= 0x7f && hidden(r, ""): // before that are newlines and tabs between strings
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

// JSONWriter returns a writer of JSON texts, each in one call, that writes them as [PlainJSON] shows them to w.
func JSONWriter(w io.Writer) io.Writer { return jsonWriter{w} }

type jsonWriter struct{ w io.Writer }

func (j jsonWriter) Write(data []byte) (int, error) {
	if _, err := j.w.Write(PlainJSON(data)); err != nil {
		return 0, err
	}
	return len(data), nil
}

// JSON returns a JSON text with every string in it as Lines shows it.
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
			quoted, _ = json.Marshal(Lines(text)) // a string has a form
		}
		shown = append(shown, quoted...)
	}
}

// quotedLength is the length of the string at the beginning of a JSON text, with its quotation
// marks; 0 if it has no end.
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

// escape escapes what cannot be seen, except the characters in keep. Text that needs no
// escapes stays as it is, with its backslashes.
func escape(text, keep string) string {
	if strings.IndexFunc(text, func(r rune) bool { return hidden(r, keep) }) < 0 && utf8.ValidString(text) && !commands(text) {
		return text
	}
	var b []byte
	begins := true // a line, but for blanks
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

// commands reports whether a text commands a build server.
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

// hidden reports whether a character is not seen, or changes how others are.
func hidden(r rune, keep string) bool { return !unicode.IsPrint(r) && !strings.ContainsRune(keep, r) }
