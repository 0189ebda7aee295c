package show

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"pgregory.net/rapid"
)

// Invisible characters are escaped as in Go; all others stay (DIAG-503).
func TestLine(t *testing.T) {
	for text, want := range map[string]string{
		"_Z1fi":              "_Z1fi",
		`C:\x`:               `C:\x`,
		"zwölf Größen 数":     "zwölf Größen 数",
		"n\nok 2 - faked":    `n\nok 2 - faked`,
		"\x1b]0;title\a":     `\x1b]0;title\a`,
		"a\x1b[2J\\":         `a\x1b[2J\\`,
		"a\u202eb\u2066c":    `a\u202eb\u2066c`,
		"\xff\u009b1m\u2028": `\xff\u009b1m\u2028`,
		"\t\r\x00\x7f":       `\t\r\x00\x7f`,
		"  ::error::no":      `  \x3a:error::no`,
		"a::b ##[x]##vso[y":  `a::b \x23#[x]\x23#vso[y`,
		`C:\a::b #1`:         `C:\a::b #1`,
	} {
		if got := Line(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	if got := Lines("a\n\t::b\n##[c"); got != "a\n\t"+`\x3a:b`+"\n"+`\x23#[c` {
		t.Errorf("%q", got)
	}
	if got := Lines("a\n\tb\r\x1b"); got != "a\n\tb"+`\r\x1b` {
		t.Errorf("%q", got)
	}
}

// In JSON every string is escaped, and everything else stays the same. This holds for incomplete
// JSON too.
func TestJSON(t *testing.T) {
	for text, want := range map[string]string{
		`{"a\u001b":["\u202e\n","b\\\"",1,"` + "\u202e" + `"]}`: `{"a\\x1b":["\\u202e\n","b\\\"",1,"\\u202e"]}`,
		`"\u0000"`:        `"\\x00"`,
		`["\u0000"`:       `["\\x00"`,
		`"" ["a",""]`:     `"" ["a",""]`,
		`17`:              `17`,
		``:                ``,
		`{"a":"\u0000`:    `{"a":"\u0000`,
		`{"a":"\u0000\"`:  `{"a":"\u0000\"`,
		`{"a":"\u0000\\"`: `{"a":"\\x00\\\\"`,
		`["\z","\u0000"]`: `["\z","\\x00"]`,
		`["<&","\u0041"]`: `["<&","\u0041"]`,
	} {
		if got := string(JSON([]byte(text))); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

// Every text becomes one line of visible characters, from which it can be restored.
func TestLineIsSeen(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := string(rapid.SliceOf(rapid.OneOf(rapid.Byte(), rapid.SampledFrom([]byte("\x1b\n\\\xe2\x80\xae:# ")))).Draw(t, "text"))
		line := Line(text)
		if strings.IndexFunc(line, func(r rune) bool { return !unicode.IsPrint(r) }) >= 0 {
			t.Fatalf("%q becomes %q", text, line)
		}
		if line == text {
			return
		}
		again, err := strconv.Unquote(`"` + strings.ReplaceAll(line, `"`, `\"`) + `"`)
		if err != nil || again != text {
			t.Fatalf("%q becomes %q, %v", text, line, err)
		}
	})
}

// PlainJSON changes the encoding of strings, but not their values (CONF-066).
func TestPlainJSON(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOf(rapid.SampledFrom([]rune("a#:[\\\"\n\x1b\x7f\u202e\U000e0001\u2028é"))).Draw(t, "text")
		data, _ := json.MarshalIndent([]string{text}, "", "\t")
		plain := PlainJSON(data)
		var again []string
		if err := json.Unmarshal(plain, &again); err != nil || again[0] != text {
			t.Fatalf("%q becomes %s, %q, %v", text, plain, again, err)
		}
		if bytes.Contains(plain, []byte("##")) || bytes.ContainsAny(plain, "\u202e\U000e0001\x7f\x1b") {
			t.Fatalf("%q becomes %q", text, plain)
		}
	})
}

// A byte order mark at the beginning is hidden, too.
func TestPlainJSONFromTheStart(t *testing.T) {
	if got := string(PlainJSON([]byte("\ufeff[]"))); got != `\ufeff[]` {
		t.Errorf("%q", got)
	}
}

func TestQuotedLength(t *testing.T) {
	for text, want := range map[string]int{`""`: 2, `"a" "b"`: 3, `"a\"b"c`: 6, `"a`: 0, `"a\"`: 0, `"`: 0} {
		if got := quotedLength([]byte(text)); got != want {
			t.Errorf("%s: %d, want %d", text, got, want)
		}
	}
}
