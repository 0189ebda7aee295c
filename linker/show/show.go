// Package show makes text from strangers fit for people: names of symbols, sections, files and
// folders, and what programs print.
//
// A name can hold anything: an escape sequence that moves the cursor or renames the window, a
// newline that begins a line which looks like a verdict, marks that turn the direction of
// writing. In all that is culink's own such characters are written as Go writes them in
// strings, \x1b, \n, \u202e (DIAG-503). The messages of nvlink stay as nvlink prints them.
package show

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Line returns text as one line, in which every character can be seen.
func Line(text string) string { return escape(text, "") }

// Lines is Line for text that has lines and tabs of its own.
func Lines(text string) string { return escape(text, "\n\t") }

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
	if strings.IndexFunc(text, func(r rune) bool { return hidden(r, keep) }) < 0 && utf8.ValidString(text) {
		return text
	}
	var b []byte
	for len(text) > 0 {
		r, n := utf8.DecodeRuneInString(text)
		switch {
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

// hidden reports whether a character is not seen, or changes how others are.
func hidden(r rune, keep string) bool { return !unicode.IsPrint(r) && !strings.ContainsRune(keep, r) }
