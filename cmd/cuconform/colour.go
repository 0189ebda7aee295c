package main

import (
	"io"
	"os"
)

// A palette colours words for a person at a terminal. If NO_COLOR is set, or the output is a file or a pipe, it leaves
// words unchanged.
type palette struct{ on bool }

func paletteFor(w io.Writer) palette { return palette{isTerminal(w) && os.Getenv("NO_COLOR") == ""} }

func (p palette) good(word string) string { return p.paint("32", word) }
func (p palette) bad(word string) string  { return p.paint("31", word) }

func (p palette) paint(code, word string) string {
	if !p.on {
		return word
	}
	return "\x1b[1;" + code + "m" + word + "\x1b[0m"
}

// isTerminal reports whether w is a terminal.
func isTerminal(w io.Writer) bool {
	file, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := file.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0 && os.Getenv("TERM") != "dumb"
}
