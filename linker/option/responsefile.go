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
		words, err := splitWords(p.settings.Platform, data)
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

// splitWords returns the words of a response file. A zero byte ends the file, and so does Ctrl-Z on Windows.
// On Windows a backslash is an ordinary character, with one exception: inside quotes it prevents a quote from
// ending them. Both characters are then kept (WIN-022).
func splitWords(host *platform.Platform, data []byte) ([]string, error) {
	if end := bytes.IndexByte(data, 0); end >= 0 {
		data = data[:end]
	}
	data = host.Decode(data)
	var words []string
	var word []byte
	inWord, quoted := false, false
	for i := 0; i < len(data); i++ {
		c := data[i]
		switch {
		case c == '\\' && (host.Escapes || quoted):
			if i+1 == len(data) {
				return nil, diag.New(diag.StrayCharacter, "")
			}
			inWord = true
			switch isQuote := data[i+1] == '"'; {
			case !host.Escapes && !isQuote:
				word = append(word, c)
				continue
			case !host.Escapes:
				word = append(word, c, '"')
			case !isQuote:
				word = append(word, data[i+1])
			}
			i++
		case c == '"':
			quoted = !quoted
			inWord = inWord || host.Escapes // on Windows no word is empty
		case !quoted && (c == ' ' || c == '\t' || c == '\n' || c == '\r'):
			if inWord {
				words = append(words, string(word))
			}
			inWord, word = false, nil
		default:
			inWord = true
			word = append(word, c)
		}
	}
	if quoted {
		return nil, diag.New(diag.StrayCharacter, `"`)
	}
	if inWord {
		words = append(words, string(word))
	}
	return words, nil
}
