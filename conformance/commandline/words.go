package commandline

import (
	"fmt"
	"strconv"
	"strings"
)

// SplitWords splits a line into words at blanks. A word in double quotes may contain blanks and the escapes of a Go
// string.
func SplitWords(line string) ([]string, error) {
	var words []string
	for line = strings.TrimLeft(line, " \t"); line != ""; line = strings.TrimLeft(line, " \t") {
		if line[0] != '"' {
			end := strings.IndexAny(line, " \t")
			if end < 0 {
				end = len(line)
			}
			words = append(words, line[:end])
			line = line[end:]
			continue
		}
		quoted, err := strconv.QuotedPrefix(line)
		if err != nil {
			return nil, fmt.Errorf("unbalanced quotes in %q", line)
		}
		word, err := strconv.Unquote(quoted)
		if err != nil {
			return nil, err
		}
		words = append(words, word)
		line = line[len(quoted):]
	}
	return words, nil
}

// plainLetters lists the letters of words that need no quotes. A regular expression would add to the start-up time of
// every link.
const plainLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_./,:=@%+-"

// ShellQuote quotes s so that a POSIX shell reads it as one word.
func ShellQuote(s string) string {
	if s != "" && strings.Trim(s, plainLetters) == "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
