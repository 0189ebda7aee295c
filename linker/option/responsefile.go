package option

import (
	"bytes"
	"io"
	"os"
	"strings"

	"github.com/culink/culink/linker/diag"
	"github.com/culink/culink/linker/limit"
	"github.com/culink/culink/linker/platform"
)

// A response file (-optf) contains words of a command line, separated by blanks and line ends. Double quotes
// protect blanks and are dropped. A backslash escapes the next character; an escaped quote is dropped too
// (OPT-015). Response files may include others, up to a depth of 15 (OPT-017).

const (
	maxResponseDepth = 15

	// maxResponseBytes limits the total size of all response files of a command line. It stops files that
	// include each other many times (OPT-019, a difference from nvlink).
	maxResponseBytes = 64 << 20
)

// ReadFile reads a response file for [Parse]. A file that can be opened but not read, such as a folder, counts
// as empty (OPT-017).
func ReadFile(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxResponseBytes+1))
	if err != nil {
		return nil, nil
	}
	return data, nil
}

// include parses response files in order.
func (p *parser) include(names []string) error {
	for _, name := range names {
		if p.depth == maxResponseDepth {
			return diag.New(diag.TooManyOptionsFiles, name)
		}
		if p.opened++; p.opened > p.settings.Limits.Most(limit.Responses) {
			return diag.New(diag.TooManyOptionsFiles, name)
		}
		data, err := p.readFile(p.settings.Platform.Local(name))
		if err != nil {
			return diag.New(diag.CannotOpenOptionsFile, name).Because(err)
		}
		if p.included += len(data); p.included > maxResponseBytes {
			return diag.New(diag.TooManyOptionsFiles, name)
		}
		words, err := splitWords(p.settings.Platform, p.settings.Toolkit.Options.BracketLists, data)
		if err != nil {
			return err
		}
		p.depth++
		if err := p.words(words); err != nil {
			return err
		}
		p.depth--
	}
	return nil
}

// separators are the characters between the words of a response file.
const separators = " \t\n\r"

// splitWords returns the words of a response file. A zero byte ends the file, and so does Ctrl-Z on Windows. A
// backslash makes the next character an ordinary one, but blanks and tabs at the ends of a word are removed all the
// same. If brackets is set, square brackets protect separators as quotes do (KIT-219). On Windows the words are like
// the items of a list (WIN-022).
func splitWords(host *platform.Platform, brackets bool, data []byte) ([]string, error) {
	if end := bytes.IndexByte(data, 0); end >= 0 {
		data = data[:end]
	}
	data = host.Decode(data)
	if !host.Escapes {
		return splitItems(brackets, string(data), separators)
	}
	var words []string
	var word []byte // still with its quotes
	end := func() {
		if raw := bytes.Trim(word, " \t"); len(raw) > 0 {
			words = append(words, unquote(raw))
		}
		word = nil
	}
	quoted, open := false, 0
	for i := 0; i < len(data); i++ {
		c := data[i]
		switch {
		case c == '\\':
			i++
			if i == len(data) {
				return nil, diag.New(diag.StrayCharacter, "")
			}
			word = append(word, data[i])
		case c == '"':
			quoted = !quoted
			word = append(word, c)
		case c == '[' && brackets && !quoted:
			open++
		case c == ']' && open > 0 && !quoted:
			open--
		case !quoted && open == 0 && strings.IndexByte(separators, c) >= 0:
			end()
		default:
			word = append(word, c)
		}
	}
	switch {
	case quoted:
		return nil, diag.New(diag.StrayCharacter, `"`)
	case open > 0:
		return nil, diag.New(diag.StrayCharacter, "[")
	}
	end()
	return words, nil
}

// unquote returns a word without its quotes. One directly behind a backslash stays.
func unquote(word []byte) string {
	var text []byte
	for i, c := range word {
		if c != '"' || i > 0 && word[i-1] == '\\' {
			text = append(text, c)
		}
	}
	return string(text)
}
