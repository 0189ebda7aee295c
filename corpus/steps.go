package corpus

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The text of a target has one fact on each line: a word and a value (docs/corpus.md).
//
//	step 1
//	arg -arch=sm_80
//	arg a.cubin
//	exit 1
//	stderr nvlink fatal   : Input file 'a.cubin' newer than toolkit (130 vs 129)
//	release 13.4
//	outcome 1
//
// An outcome is a step whose arguments are those of the first section. Values contain the escapes of '%b' in the shell's
// printf: \\, \n, \r, \0ooo with three octal digits, and \c if the last line has no newline.

// These words begin a line.
const (
	releaseWord = "release"
	stepWord    = "step"
	outcomeWord = "outcome"
	argWord     = "arg"
	exitWord    = "exit"
	stdoutWord  = "stdout"
	stderrWord  = "stderr"
	markWord    = "mark"
)

// text returns the text that is stored for a target beside its archive.
func (t Target) text() []byte {
	var b bytes.Buffer
	for _, release := range slices.Sorted(maps.Keys(t)) {
		if release != "" {
			fmt.Fprintln(&b, releaseWord, release)
		}
		for i, step := range t[release].Steps {
			if step != nil {
				step.appendTo(&b, i+1)
			}
		}
	}
	return b.Bytes()
}

func (s *Step) appendTo(b *bytes.Buffer, number int) {
	word := stepWord
	if s.Argv == nil {
		word = outcomeWord
	}
	fmt.Fprintln(b, word, number)
	for _, arg := range s.Argv {
		fmt.Fprintln(b, argWord, cmp.Or(escape(arg), `\c`))
	}
	if s.Exit != 0 {
		fmt.Fprintln(b, exitWord, s.Exit)
	}
	for _, part := range []struct {
		word string
		data []byte
	}{{stdoutWord, s.Stdout}, {stderrWord, s.Stderr}, {markWord, s.Marks}} {
		for line := range strings.Lines(string(part.data)) {
			line, whole := strings.CutSuffix(line, "\n")
			fmt.Fprint(b, part.word, " ", escape(line))
			if !whole {
				fmt.Fprint(b, `\c`)
			}
			fmt.Fprintln(b)
		}
	}
}

// escape writes a value so that it fits on one line and does not end with a blank.
func escape(value string) string {
	var b strings.Builder
	for i := 0; i < len(value); {
		r, size := utf8.DecodeRuneInString(value[i:])
		part := value[i : i+size]
		i += size
		switch {
		case r == '\\':
			b.WriteString(`\\`)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\r':
			b.WriteString(`\r`)
		case r == '\t' || r == ' ' && i < len(value) || r != ' ' && r != utf8.RuneError && unicode.IsPrint(r):
			b.WriteString(part)
		default:
			for _, c := range []byte(part) {
				fmt.Fprintf(&b, `\0%03o`, c)
			}
		}
	}
	return b.String()
}

// unescape reads the output of escape. whole is false if the value ends with \c, which means that its last line has no
// newline.
func unescape(text string) (value string, whole bool, err error) {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' {
			b.WriteByte(text[i])
			continue
		}
		i++
		switch rest := text[i:]; {
		case strings.HasPrefix(rest, `\`):
			b.WriteByte('\\')
		case strings.HasPrefix(rest, "n"):
			b.WriteByte('\n')
		case strings.HasPrefix(rest, "r"):
			b.WriteByte('\r')
		case rest == "c":
			return b.String(), false, nil
		default:
			if len(rest) < 4 || rest[0] != '0' {
				return "", false, fmt.Errorf("%q is no escape", `\`+rest)
			}
			c, err := strconv.ParseUint(rest[1:4], 8, 8)
			if err != nil {
				return "", false, fmt.Errorf("%q is no escape: %w", `\`+rest[:4], err)
			}
			b.WriteByte(byte(c))
			i += 3
		}
	}
	return b.String(), true, nil
}

// parse reads a text. An error contains the number of the wrong line.
func parse(text []byte) (Target, error) {
	t := Target{"": &Section{Inputs: map[string][]byte{}}}
	section := t[""]
	var step *Step
	number := 0
	for line := range strings.Lines(string(text)) {
		number++
		word, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		var err error
		switch word {
		case releaseWord:
			section, step = &Section{Inputs: map[string][]byte{}}, nil
			if value == "" || t[value] != nil {
				return nil, fmt.Errorf("line %d: release %q has no name, or is there already", number, value)
			}
			t[value] = section
		case stepWord, outcomeWord:
			step, err = section.add(value)
			if err == nil && word == stepWord {
				step.Argv = []string{}
			}
		default:
			if step == nil {
				return nil, fmt.Errorf("line %d: %q stands before any step", number, word)
			}
			err = step.set(word, value)
		}
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", number, err)
		}
	}
	return t, nil
}

// mostSteps limits the number of steps. No case has as many.
const mostSteps = 1 << 16

// add adds the step with a number. The number must be greater than those of earlier steps.
func (s *Section) add(number string) (*Step, error) {
	n, err := strconv.Atoi(number)
	if err != nil || n <= len(s.Steps) || n > mostSteps {
		return nil, fmt.Errorf("%q is not the number of a step after %d", number, len(s.Steps))
	}
	step := &Step{Files: map[string][]byte{}}
	s.Steps = append(append(s.Steps, make([]*Step, n-1-len(s.Steps))...), step)
	return step, nil
}

// set stores the value of a line in a step.
func (s *Step) set(word, value string) error {
	if word == exitWord {
		exit, err := strconv.Atoi(value)
		s.Exit = exit
		return err
	}
	text, whole, err := unescape(value)
	if err != nil {
		return err
	}
	if word == argWord {
		if s.Argv == nil {
			return fmt.Errorf("an outcome has no arguments: %q", text)
		}
		s.Argv = append(s.Argv, text)
		return nil
	}
	if whole {
		text += "\n"
	}
	switch word {
	case stdoutWord:
		s.Stdout = append(s.Stdout, text...)
	case stderrWord:
		s.Stderr = append(s.Stderr, text...)
	case markWord:
		s.Marks = append(s.Marks, text...)
	default:
		return fmt.Errorf("%q begins no line", word)
	}
	return nil
}
