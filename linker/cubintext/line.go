package cubintext

import (
	"fmt"
	"iter"
	"math"
	"strconv"
	"strings"
)

// The language consists of lines of words. A word is bare or "quoted". It may have a key ("size=4"), and it may
// begin with a mark. @k is the index of symbol k, at a place where a number is expected. %7 is index 7, at a place
// where a name is expected. '#' at the start of a word begins a comment.

// An Error is an error in a text, with its place.
type Error struct {
	File   string
	Line   int // from 1
	Column int // from 1, in bytes
	Msg    string
}

func (e *Error) Error() string {
	return fmt.Sprintf("%s:%d:%d: %s", e.File, e.Line, e.Column, e.Msg)
}

// A word is one word of a line.
type word struct {
	key    string // "size" of size=4; "" without key
	mark   byte   // '@' or '%'; 0 without mark
	text   string
	quoted bool
	column int
}

// A line contains the words of one line. The first is its keyword.
type line struct {
	number int
	words  []word
}

func (l line) keyword() string {
	if len(l.words) == 0 || l.words[0].quoted || l.words[0].key != "" {
		return ""
	}
	return l.words[0].text
}

// errorAt returns an Error that points at w. Parse adds the file name.
func (l line) errorAt(w word, format string, args ...any) error {
	return &Error{Line: l.number, Column: w.column, Msg: fmt.Sprintf(format, args...)}
}

func (l line) errorf(format string, args ...any) error {
	return &Error{Line: l.number, Column: l.words[0].column, Msg: fmt.Sprintf(format, args...)}
}

// positional returns the words without key after the keyword.
func (l line) positional() []word {
	var ws []word
	for _, w := range l.words[1:] {
		if w.key == "" {
			ws = append(ws, w)
		}
	}
	return ws
}

// value returns the word with a key.
func (l line) value(key string) (word, bool) {
	for _, w := range l.words {
		if w.key == key {
			return w, true
		}
	}
	return word{}, false
}

func (l line) number64(w word) (uint64, error) {
	if w.mark == 0 && !w.quoted {
		if v, ok := parseNumber(w.text); ok {
			return v, nil
		}
	}
	return 0, l.errorAt(w, "number expected, not %s", w)
}

// parseNumber parses decimal, hexadecimal (0x) and negative numbers of 64 bits. A number may begin with +.
func parseNumber(s string) (uint64, bool) {
	s = strings.TrimPrefix(s, "+")
	if strings.HasPrefix(s, "-") {
		v, err := strconv.ParseInt(s, 0, 64)
		return uint64(v), err == nil
	}
	v, err := strconv.ParseUint(s, 0, 64)
	return v, err == nil
}

// A listing yields the lines of a section one after another, so that the lines of a large section are never all in
// memory. A yielded line is valid until the next one. A nil listing has no lines.
type listing iter.Seq[line]

// A textLine is a line of a text, or the error in it.
type textLine struct {
	line
	start int // of the line in the text
	err   error
}

// linesOf yields the lines of a text without the empty ones. number is the number of the first line.
func linesOf(text string, number int) iter.Seq[textLine] {
	return func(yield func(textLine) bool) {
		var words []word // of one line, in the same memory
		start := 0
		for raw := range strings.Lines(text) {
			l, err := splitLine(number, strings.TrimRight(raw, "\r\n"), words[:0])
			if words = l.words; err != nil || len(words) > 0 {
				if !yield(textLine{l, start, err}) {
					return
				}
			}
			number++
			start += len(raw)
		}
	}
}

// listingOf returns the lines of a text that is known to have no errors. It returns nil if there are no lines.
func listingOf(text string, number int) listing {
	for range linesOf(text, number) {
		return func(yield func(line) bool) {
			for l := range linesOf(text, number) {
				if !yield(l.line) {
					return
				}
			}
		}
	}
	return nil
}

// all yields the lines. A nil listing yields none.
func (lines listing) all() iter.Seq[line] {
	if lines == nil {
		return func(func(line) bool) {}
	}
	return iter.Seq[line](lines)
}

// one is the listing of one line.
func one(l line) listing { return func(yield func(line) bool) { yield(l) } }

// splitLine splits a line into its words, which it appends to words.
func splitLine(number int, s string, words []word) (line, error) {
	l := line{number: number, words: words}
	for i := 0; ; {
		for i < len(s) && (s[i] == ' ' || s[i] == '\t') {
			i++
		}
		if i == len(s) || s[i] == '#' {
			return l, nil
		}
		w := word{column: i + 1}
		if n := keyLength(s[i:]); n > 0 {
			w.key = s[i : i+n]
			i += n + 1
		}
		if i < len(s) && strings.IndexByte("@%", s[i]) >= 0 {
			w.mark = s[i]
			i++
		}
		switch {
		case i < len(s) && s[i] == '"':
			quoted, err := strconv.QuotedPrefix(s[i:])
			if err != nil {
				return l, &Error{Line: number, Column: i + 1, Msg: "string without end, or with a bad escape"}
			}
			w.text, _ = strconv.Unquote(quoted)
			w.quoted = true
			i += len(quoted)
			if i < len(s) && s[i] != ' ' && s[i] != '\t' {
				return l, &Error{Line: number, Column: i + 1, Msg: "blank expected after a string"}
			}
		default:
			start := i
			for i < len(s) && s[i] != ' ' && s[i] != '\t' {
				i++
			}
			w.text = s[start:i]
		}
		l.words = append(l.words, w)
	}
}

// keyLength returns the length of the key at the start of s. A key consists of the letters before '='.
func keyLength(s string) int {
	for i := range len(s) {
		c := s[i]
		if c == '=' {
			return i
		}
		if c < 'a' || c > 'z' {
			return 0
		}
	}
	return 0
}

func (w word) String() string {
	var b strings.Builder
	if w.key != "" {
		b.WriteString(w.key + "=")
	}
	if w.mark != 0 {
		b.WriteByte(w.mark)
	}
	if w.quoted || !isBare(w.text) {
		b.WriteString(strconv.QuoteToASCII(w.text))
	} else {
		b.WriteString(w.text)
	}
	return b.String()
}

// isBare reports whether s can be written without quotes.
func isBare(s string) bool {
	for i := range len(s) {
		if c := s[i]; c <= ' ' || c >= 0x7f || c == '"' || c == '\\' || c == '=' {
			return false
		}
	}
	return s != "" && strings.IndexByte("#@%", s[0]) < 0
}

// name returns the word for a name. The word is quoted if it could otherwise be parsed as something else.
func name(s string) word {
	quoted := !isBare(s) || s[0] >= '0' && s[0] <= '9' || s[0] == '+' || s[0] == '-'
	switch s {
	case "undef", "abs", "common", "phdrs":
		quoted = true
	}
	return word{text: s, quoted: quoted}
}

// quotable returns the word for a string, bare if possible.
func quotable(s string) word { return word{text: s, quoted: !isBare(s)} }

func bare(s string) word { return word{text: s} }

// number returns the word for a number. Numbers below 10 are written in decimal.
func number(v uint64) word {
	if v < 10 {
		return bare(strconv.FormatUint(v, 10))
	}
	return bare("0x" + strconv.FormatUint(v, 16))
}

// signed returns the word for an addend, with its sign.
func signed(v int64) word {
	switch {
	case v == math.MinInt64:
		return bare("-0x8000000000000000")
	case v < 0:
		return bare("-" + number(uint64(-v)).text)
	}
	return bare("+" + number(uint64(v)).text)
}

func (w word) withKey(key string) word { w.key = key; return w }

func (w word) withMark(mark byte) word { w.mark = mark; return w }

func (l line) String() string {
	words := make([]string, len(l.words))
	for i, w := range l.words {
		words[i] = w.String()
	}
	return strings.Join(words, " ")
}

// decimal returns the word for a number that is usually written in decimal.
func decimal(v uint64) word { return bare(strconv.FormatUint(v, 10)) }
