package library

import (
	"bufio"
	"bytes"
	"embed"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/culink/culink/conformance/attempt"
	"github.com/culink/culink/conformance/commandline"
	"github.com/culink/culink/conformance/suite"
)

// A case is a block of lines in a text file:
//
//	case NAME RULE... [needs THING]...
//	CALL WORD... = ANSWER
//	or ANSWER
//
// "or" adds another accepted answer to the call before it. culink may give such an answer by choice, where the real
// library crashes, does harm, or prints an error and continues the link. A blank line ends a case, and # starts a
// comment.

// A Need is a requirement of a case on the player.
type Need string

// The needs.
const (
	NeedsC        Need = "c"        // null pointers: a library with a C interface
	NeedsPTXAS    Need = "ptxas"    // the compiler of PTX
	NeedsCompiler Need = "compiler" // a compiler for LTO inputs
)

// A Case is a script of calls with the recorded answers.
type Case struct {
	File  string // name of the file with the recording
	Name  string
	Rules []string
	Needs []Need
	Calls []Call
}

// recording returns the name of the recording: that of its file without the suffix.
func (c *Case) recording() string { return strings.TrimSuffix(c.File, ".txt") }

// A Call is one call of a case.
type Call struct {
	Words []string // the call's name in scripts, and its arguments
	Want  Answer
	Or    []Answer
}

// String returns the call without its answer.
func (c *Call) String() string { return joinWords(c.Words) }

// joinWords is the inverse of commandline.SplitWords.
func joinWords(words []string) string {
	shown := make([]string, len(words))
	for i, w := range words {
		shown[i] = w
		if w == "" || w == "=" || strings.ContainsAny(w, " \t\"\\#") {
			shown[i] = fmt.Sprintf("%q", w)
		}
	}
	return strings.Join(shown, " ")
}

//go:embed recorded
var recorded embed.FS

// Recorded holds the files *.txt with the cases, and a folder in/ with the inputs that are not in the corpus.
var Recorded = func() fs.FS {
	sub, err := fs.Sub(recorded, "recorded")
	if err != nil { // the name exists
		panic(err)
	}
	return sub
}()

// Load reads the cases of all text files at the top of a folder.
func Load(files fs.FS) ([]*Case, error) {
	names, err := fs.Glob(files, "*.txt")
	if err != nil {
		return nil, err
	}
	var cases []*Case
	for _, name := range names {
		text, err := fs.ReadFile(files, name)
		if err != nil {
			return nil, err
		}
		more, err := Parse(name, text)
		if err != nil {
			return nil, err
		}
		cases = append(cases, more...)
	}
	return cases, nil
}

// Parse reads the cases of one file.
func Parse(file string, text []byte) (cases []*Case, err error) {
	var c *Case
	scanner := bufio.NewScanner(bytes.NewReader(text))
	scanner.Buffer(nil, len(text)+1)
	for line := 1; scanner.Scan(); line++ {
		text := strings.TrimSpace(scanner.Text())
		switch {
		case strings.HasPrefix(text, "#"):
			continue
		case text == "":
			c = nil
			continue
		}
		words, err := commandline.SplitWords(text)
		if err == nil {
			if words[0] == "case" {
				c = &Case{File: file}
				cases = append(cases, c)
				err = c.title(words[1:])
			} else if c == nil {
				err = fmt.Errorf("%q stands in no case", words[0])
			} else {
				err = c.line(words)
			}
		}
		if err != nil {
			return nil, &suite.SyntaxError{File: file, Line: line, Msg: err.Error()}
		}
	}
	return cases, scanner.Err()
}

func (c *Case) title(words []string) error {
	if len(words) < 2 {
		return fmt.Errorf("case wants a name and rules")
	}
	c.Name = words[0]
	for i := 1; i < len(words); i++ {
		if words[i] != "needs" {
			c.Rules = append(c.Rules, words[i])
			continue
		}
		if i++; i == len(words) || !slices.Contains([]Need{NeedsC, NeedsPTXAS, NeedsCompiler}, Need(words[i])) {
			return fmt.Errorf("needs what?")
		}
		c.Needs = append(c.Needs, Need(words[i]))
	}
	return nil
}

func (c *Case) line(words []string) (err error) {
	if words[0] == "or" {
		if len(c.Calls) == 0 {
			return fmt.Errorf("or follows a call")
		}
		last := &c.Calls[len(c.Calls)-1]
		a, err := parseAnswer(words[1:])
		last.Or = append(last.Or, a)
		return err
	}
	call := Call{Words: words}
	if i := slices.Index(words, "="); i >= 0 {
		call.Words = words[:i]
		if call.Want, err = parseAnswer(words[i+1:]); err != nil {
			return err
		}
	}
	if _, ok := operations[call.Words[0]]; !ok {
		return fmt.Errorf("there is no call %q", call.Words[0])
	}
	c.Calls = append(c.Calls, call)
	return nil
}

// Format writes cases in the form that Parse reads.
func Format(cases []*Case) []byte {
	var b bytes.Buffer
	for i, c := range cases {
		if i > 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "case %s %s", c.Name, strings.Join(c.Rules, " "))
		for _, need := range c.Needs {
			fmt.Fprintf(&b, " needs %s", need)
		}
		b.WriteByte('\n')
		for _, call := range c.Calls {
			b.WriteString(call.String())
			if call.Want != nil {
				fmt.Fprintf(&b, " = %s", call.Want)
			}
			b.WriteByte('\n')
			for _, or := range call.Or {
				fmt.Fprintf(&b, "or %s\n", or)
			}
		}
	}
	return b.Bytes()
}

// corpusPrefix is the prefix of an input's name if the input is in the corpus.
const corpusPrefix = "corpus/"

// Files returns the inputs that the calls name: files below in/, or in the corpus.
func (c *Case) Files(recorded, corpus fs.FS) attempt.Files {
	files := attempt.Files{}
	for _, call := range c.Calls {
		at, ok := operations[call.Words[0]]
		if !ok || at.file == 0 || len(call.Words) <= at.file {
			continue
		}
		name := call.Words[at.file]
		source, inside := recorded, path.Join("in", name)
		if rest, ok := strings.CutPrefix(name, corpusPrefix); ok {
			source, inside = corpus, rest
		}
		data, err := fs.ReadFile(source, inside)
		if err != nil {
			continue // a call with the name of a file that does not exist
		}
		files[name] = data
	}
	return files
}
