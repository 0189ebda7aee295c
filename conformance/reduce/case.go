package reduce

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/culink/culink/conformance/attempt"
	"github.com/culink/culink/conformance/suite"
)

// A reduced link becomes a case: case.txt, the cubins as text, and other files unchanged. The user writes the title and
// the rule.

// A Case is a reduced link with the entries of its case.txt.
type Case struct {
	ID    string // area/name
	SM    string // "80", "90a"
	Title string
	Rules []string            // ids of docs/rules.md; a placeholder if there is no rule yet
	Texts map[string][]string // lines of the cubins among the inputs, by file name
}

// NoRule is a placeholder for the rule in a case that has none.
const NoRule = "TODO-001"

// Write writes the case of a link into the corpus folder dir and returns the case's folder.
func (c Case) Write(dir string, link attempt.Link) (string, error) {
	folder := filepath.Join(dir, filepath.FromSlash(c.ID))
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return "", err
	}
	rules := c.Rules
	if len(rules) == 0 {
		rules = []string{NoRule}
	}
	var text strings.Builder
	fmt.Fprintf(&text, "title   %s\nrule    %s\ntarget  sm_%s\n", strings.Join(strings.Fields(c.Title), " "), strings.Join(rules, " "), c.SM)
	for _, name := range link.Before.Names() {
		source, maker, data := name, "copy", link.Before[name]
		if lines, ok := c.Texts[name]; ok {
			source, maker = name+".txt", "build"
			data = []byte(strings.Join(lines, "\n") + "\n")
		} else {
			source = "source." + filepath.Base(name)
		}
		if err := writeFile(filepath.Join(folder, filepath.FromSlash(source)), data); err != nil {
			return "", err
		}
		fmt.Fprintf(&text, "make    %s %s %s\n", quote(name), maker, quote(source))
	}
	words := make([]string, len(link.Argv))
	for i, word := range link.Argv {
		words[i] = quote(word)
	}
	fmt.Fprintf(&text, "step    nvlink %s\n", strings.Join(words, " "))
	return folder, writeFile(filepath.Join(folder, "case.txt"), []byte(text.String()))
}

// writeFile writes a file and creates the folders above it.
func writeFile(name string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return err
	}
	return os.WriteFile(name, data, 0o666)
}

// quote quotes a word for case.txt.
func quote(word string) string {
	if word == "" || strings.ContainsAny(word, " \t\"\\\n") {
		return strconv.Quote(word)
	}
	return word
}

// TargetOf returns the target of a command line, such as "90a" for -arch=sm_90a.
func TargetOf(argv []string) (sm string, ok bool) {
	for i, word := range argv {
		value, found := strings.CutPrefix(strings.TrimLeft(word, "-"), "arch")
		if !found {
			continue
		}
		if value = strings.TrimPrefix(value, "="); value == "" && i+1 < len(argv) {
			value = argv[i+1]
		}
		if sm, ok = strings.CutPrefix(value, "sm_"); ok {
			return sm, true
		}
	}
	return "", false
}

// Record stores the outcome of a reference linker beside the case of a reduced link. The case can then be run.
func (c Case) Record(dir string, link attempt.Link, want *attempt.Outcome) error {
	argv := make([][]string, 1)
	argv[0] = slices.Clone(link.Argv)
	r := &suite.Recording{Inputs: link.Before, Steps: []attempt.Outcome{*want}}
	area, name, _ := strings.Cut(c.ID, "/")
	return r.Stored(&suite.Case{Area: area, Name: name, Steps: argv}, c.SM).Save(dir)
}
