package platform

import (
	"testing"
	"unicode/utf8"

	"golang.org/x/sys/windows"
)

// A text file that is not UTF-8 is in the ANSI code page of the system (WIN-930).
func TestDecodeCodePage(t *testing.T) {
	for text, want := range map[string]string{"d\xe9/a.obj\r\n": "dé/a.obj\n", "\x80é": "€Ã©", "dé": "dé", "d": "d", "": ""} {
		got := string(Windows.Decode([]byte(text)))
		if !utf8.ValidString(got) {
			t.Errorf("%q: %q is not UTF-8", text, got)
		}
		if western := windows.GetACP() == 1252; got != want && (western || utf8.ValidString(text)) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
