package option

import (
	"bytes"
	"io"
	"os"

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
	return splitter{separators: separators, brackets: brackets, escapes: host.Escapes}.split(string(host.Decode(data)))
}
