package platform

import (
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/sys/windows"
)

// toUTF8 returns text in UTF-8. Other text is in the ANSI code page of the system (WIN-930).
func toUTF8(text []byte) []byte {
	const ansi = 0 // CP_ACP
	if utf8.Valid(text) {
		return text
	}
	wide := make([]uint16, len(text)) // no character of a code page is longer in UTF-16
	n, err := windows.MultiByteToWideChar(ansi, 0, &text[0], int32(len(text)), &wide[0], int32(len(wide)))
	if err != nil {
		return text
	}
	return []byte(string(utf16.Decode(wide[:n])))
}
