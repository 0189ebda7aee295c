package advice

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/culink/culink/linker/diag"
)

// Errors on the command line are answered before any input is read.

// unknownOption lists the options that differ from a word in few letters or begin with it.
func (a *Adviser) unknownOption(args []any) (facts []Fact) {
	word := strings.TrimLeft(fmt.Sprint(args[0]), "-")
	if strings.HasPrefix(word, "trace=") && a.Phases != nil {
		return []Fact{{"values", "of --trace: " + strings.Join(a.Phases(), ", ")}}
	}
	letters := func(option string) int { return distance(word, strings.TrimLeft(option, "-")) }
	isNear := func(option string) bool {
		name := strings.TrimLeft(option, "-")
		return letters(option) <= max(1, len(word)/3) && len(word) > 1 || len(word) > 2 && strings.HasPrefix(name, word)
	}
	var near []string
	if a.Options == nil {
		return nil
	}
	for _, option := range a.Options() {
		if isNear(option) {
			near = append(near, option)
		}
	}
	slices.SortStableFunc(near, func(a, b string) int { return cmp.Compare(letters(a), letters(b)) })
	if len(near) > 0 {
		facts = append(facts, Fact{"near", strings.Join(near[:min(len(near), mostNames)], ", ")})
	}
	return append(facts, Fact{"try", "--help, which lists all options"})
}

// FirstWords is the help for a command line without arguments.
func FirstWords(tool string) []Fact {
	return []Fact{
		{"link", tool + " -arch=sm_90 a.o b.o libc.a -o out.cubin"},
		{"options", tool + " --help"},
		{"in a build", tool + " --make-shadow DIR: a CUDA toolkit whose nvlink is " + tool},
	}
}

// Cause returns the cause of a message if its text omits it: the system's error, or the place in the file.
func Cause(d diag.Diagnostic) []Fact {
	if d.Cause == nil {
		return nil
	}
	text := strings.TrimPrefix(d.Cause.Error(), d.File()+": ")
	if failed := (*fs.PathError)(nil); errors.As(d.Cause, &failed) {
		text = failed.Err.Error()
		if d.File() == "" {
			text = failed.Path + ": " + text
		}
	}
	if strings.Contains(d.Text(), text) {
		return nil
	}
	return []Fact{{"because", text}}
}
