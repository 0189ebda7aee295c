// Package suite reads the corpus: cases, and nvlink's outcomes for them.
//
// A case tests one behaviour of a device linker. It has the commands that make its inputs, the command lines of the
// link, and for each target the outcome of nvlink. It is a folder <area>/<name> of the corpus. People write case.txt,
// and package record writes the targets beside it. docs/corpus.md describes the format.
package suite

import (
	"bufio"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/culink/culink/conformance/commandline"
	"github.com/culink/culink/conformance/recipe"
	"github.com/culink/culink/linker/arch"
	"github.com/culink/culink/linker/platform"
)

// A Case is a parsed case.txt.
type Case struct {
	Area, Name string
	Title      string
	Rules      []string        // ids of docs/rules.md
	Targets    []string        // "80", "90a"
	Platform   string          // platform of the recorded nvlink, a name of package platform
	Inputs     []recipe.Recipe // sorted in the order in which they are made
	Drop       []string        // made files that are not inputs of a step
	Steps      [][]string
	// Expect is not ExpectRecorded if culink diverges from nvlink by choice. Reason explains the choice.
	Expect Expectation
	Reason string
	// Unsound is the id of the rule or erratum that explains why nvlink's output of a step is unsound. It is empty if every
	// output is sound.
	Unsound string
	// Exceptions replace what the case says of some releases. The first one that has a release applies.
	Exceptions []Exception
}

// An Exception is an Expect with its Reason, or an Unsound, of the releases in Releases.
type Exception struct {
	Releases Span
	Expect   Expectation // empty if the exception is about soundness
	Reason   string
	Unsound  string
}

// For returns the case as it is for a release, with the exceptions that apply. nil is the release of the recordings.
func (c *Case) For(p *arch.Profile) *Case {
	of := *c
	for _, e := range slices.Backward(c.Exceptions) {
		switch {
		case !e.Releases.Holds(p):
		case e.Expect != "":
			of.Expect, of.Reason = e.Expect, e.Reason
		default:
			of.Unsound = e.Unsound
		}
	}
	return &of
}

// ID returns "area/name".
func (c *Case) ID() string { return c.Area + "/" + c.Name }

// An Expectation is the result that a case requires of a linker.
type Expectation string

const (
	// ExpectRecorded requires the outcome of nvlink.
	ExpectRecorded Expectation = "recorded"
	// ExpectCleanError requires a failure with a message and without output. It is for links on which nvlink crashes, hangs,
	// or writes wrong code.
	ExpectCleanError Expectation = "clean-error"
	// ExpectRightCode requires a sound output without an error. It is for links that nvlink rejects, or for which it writes
	// wrong code.
	ExpectRightCode Expectation = "right-code"
)

// A SyntaxError is an error in a line of a text file of the corpus.
type SyntaxError struct {
	File string
	Line int
	Msg  string
}

func (e *SyntaxError) Error() string { return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Msg) }

// ParseCase reads the text of a case.txt. id is the folder, "area/name".
func ParseCase(id, text string) (*Case, error) {
	area, name, ok := strings.Cut(id, "/")
	if !ok {
		return nil, fmt.Errorf("case %q is not area/name", id)
	}
	c := &Case{Area: area, Name: name, Expect: ExpectRecorded, Platform: platform.Linux.Name}
	file := path.Join(id, "case.txt")
	scanner := bufio.NewScanner(strings.NewReader(text))
	line := 0
	for scanner.Scan() {
		line++
		if err := c.parseLine(scanner.Text()); err != nil {
			return nil, &SyntaxError{file, line, err.Error()}
		}
	}
	if err := scanner.Err(); err != nil {
		return nil, &SyntaxError{file, line, err.Error()}
	}
	for _, missing := range []struct {
		key    string
		absent bool
	}{
		{"title", c.Title == ""},
		{"rule", len(c.Rules) == 0},
		{"target", len(c.Targets) == 0},
		{"step", len(c.Steps) == 0},
	} {
		if missing.absent {
			return nil, &SyntaxError{file, line, "no " + missing.key}
		}
	}
	return c, nil
}

func (c *Case) parseLine(line string) error {
	line = strings.TrimSpace(line)
	if line == "" || line[0] == '#' {
		return nil
	}
	key, rest, _ := strings.Cut(line, " ")
	rest = strings.TrimSpace(rest)
	if key == "title" {
		c.Title = rest
		return nil
	}
	words, err := commandline.SplitWords(rest)
	if err != nil {
		return err
	}
	if len(words) == 0 {
		return fmt.Errorf("%q without a value", key)
	}
	switch key {
	case "rule":
		c.Rules = append(c.Rules, words...)
	case "target":
		return c.addTargets(words)
	case "platform":
		if _, ok := platform.Find(words[0]); !ok {
			return fmt.Errorf("unknown platform %q", words[0])
		}
		c.Platform = words[0]
	case "make":
		recipe, err := recipe.Parse(words)
		if err != nil {
			return err
		}
		c.Inputs = append(c.Inputs, recipe)
	case "drop":
		c.Drop = append(c.Drop, words...)
	case "step":
		if words[0] != "nvlink" {
			return fmt.Errorf("a step begins with nvlink, not %q", words[0])
		}
		c.Steps = append(c.Steps, words[1:])
	default:
		return c.addFact(key, words)
	}
	return nil
}

// addFact adds what the case expects, or why an output is not sound, of all releases or of those behind @ in key.
func (c *Case) addFact(key string, words []string) error {
	fact, releases, err := CutSpan(key)
	if err != nil {
		return err
	}
	var e Exception
	some := releases != Span{}
	switch fact {
	case "expect":
		e = Exception{Releases: releases, Expect: Expectation(words[0]), Reason: strings.Join(words[1:], " ")}
		if e.Expect != ExpectCleanError && e.Expect != ExpectRightCode && (e.Expect != ExpectRecorded || !some) {
			return fmt.Errorf("unknown expectation %q", words[0])
		}
		if e.Reason == "" {
			return fmt.Errorf("expect %s without a reason", e.Expect)
		}
		if !some {
			c.Expect, c.Reason = e.Expect, e.Reason
		}
	case "unsound":
		if len(words) < 2 {
			return fmt.Errorf("unsound wants: unsound ID REASON")
		}
		e = Exception{Releases: releases, Unsound: words[0]}
		if !some {
			c.Unsound = e.Unsound
		}
	default:
		return fmt.Errorf("unknown key %q", key)
	}
	if some {
		c.Exceptions = append(c.Exceptions, e)
	}
	return nil
}

func (c *Case) addTargets(words []string) error {
	for _, w := range words {
		sm, ok := strings.CutPrefix(w, "sm_")
		if !ok {
			return fmt.Errorf("target %q does not begin with sm_", w)
		}
		c.Targets = append(c.Targets, sm)
	}
	return nil
}

// IsQuick reports whether a command line runs no compiler (of -lto or of PTX), names no response file, and prints no
// time. A search links thousands of such command lines and compares their output.
func IsQuick(argv []string) bool {
	return !slices.ContainsFunc(argv, func(word string) bool {
		return strings.Contains(word, "lto") || strings.Contains(word, "ptx") || strings.HasPrefix(word, "@") || strings.Contains(word, "time")
	})
}

// Argv returns the arguments of step i for a target. Steps are counted from 0.
func (c *Case) Argv(i int, sm string) []string { return recipe.ForTarget(c.Steps[i], sm) }
