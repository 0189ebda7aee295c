package advice

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"github.com/culink/culink/linker/arch"
	"github.com/culink/culink/linker/diag"
	"github.com/culink/culink/linker/inspect"
)

// These answers are about errors on the command line. They appear before any input is read.

// unknownOption lists the options that begin with a word or differ from it in few letters.
func (a *Adviser) unknownOption(args []any) []Fact {
	word := strings.TrimLeft(fmt.Sprint(args[0]), "-")
	if facts := ofOtherTools(word); facts != nil {
		return facts
	}
	if a.Options == nil {
		return nil
	}
	return append(nearWords(word, a.Options()), Fact{"try", "--help, which lists all options"})
}

// otherTools lists options of other tools that users give to nvlink, and where they belong.
var otherTools = []struct{ options, because, try string }{
	{
		" G O O0 O1 O2 O3 c code cubin cudart dc device-debug dw fmad ftz gencode generate-code ptx rdc relocatable-device-code std use_fast_math x Xcompiler Xlinker ",
		"it is an option of nvcc", "give it to nvcc itself, without -Xnvlink",
	},
	{
		" Bdynamic Bstatic Wl as-needed end-group export-dynamic fPIC fopenmp no-as-needed no-whole-archive pie pthread rpath soname start-group whole-archive z ",
		"it is an option of the host's compiler or linker", "give it to the link of the program, with nvcc -Xcompiler or -Xlinker, and not to the link of the device code",
	},
}

// ofOtherTools answers that an option belongs to another tool.
func ofOtherTools(word string) []Fact {
	if i := strings.IndexAny(word, ",="); i >= 0 {
		word = word[:i]
	}
	for _, t := range otherTools {
		if strings.Contains(t.options, " "+word+" ") {
			return []Fact{{"because", t.because}, {"try", t.try}}
		}
	}
	return nil
}

// nearWords lists the known words that begin with a word or differ from it in few letters.
func nearWords(word string, known []string) []Fact {
	letters := func(k string) int { return distance(word, strings.TrimLeft(k, "-")) }
	var near []string
	for _, k := range known {
		if letters(k) <= max(1, len(word)/3) && len(word) > 1 || len(word) > 2 && strings.HasPrefix(strings.TrimLeft(k, "-"), word) {
			near = append(near, k)
		}
	}
	if len(near) == 0 {
		return nil
	}
	slices.SortStableFunc(near, func(a, b string) int { return cmp.Compare(letters(a), letters(b)) })
	return []Fact{{"near", strings.Join(near[:min(len(near), mostNames)], ", ")}}
}

// undefinedValue answers that the release of the link does not know the target. Releases add and remove targets, and one
// target was renamed (LOAD-054).
func (a *Adviser) undefinedValue(args []any) []Fact {
	name, option := fmt.Sprint(args[0]), fmt.Sprint(args[1])
	if a.Toolkit == nil {
		return nil
	}
	if option != "arch" {
		return a.otherValues(name, option)
	}
	var knowing []*arch.Profile
	for _, p := range arch.Releases() {
		if _, ok := p.Parse(name); ok {
			knowing = append(knowing, p)
		}
	}
	if _, ok := a.Toolkit.Parse("sm_" + name); ok {
		return []Fact{{"try", "-arch=sm_" + name}}
	}
	if first, _, isList := strings.Cut(name, ","); isList {
		return []Fact{{"because", "a link is for one target"}, {"try", "-arch=" + first + ", and another link for each other target, as nvcc does"}}
	}
	if len(knowing) == 0 {
		return append(nearWords(name, a.Toolkit.Names()), Fact{"try", "--help, which lists the targets of the release"})
	}
	first, last := knowing[0], knowing[len(knowing)-1]
	link := "CUDA " + a.Toolkit.Short()
	if first.API > a.Toolkit.API {
		return []Fact{{"because", fmt.Sprintf("%s does not know %s, which came with CUDA %s", link, name, first.Short())}, {"try", asRelease(first.Short())}}
	}
	t, _ := last.Parse(name)
	if later := a.Toolkit.Current(t.Number); later != t.Number {
		return []Fact{{"because", fmt.Sprintf("%s has another name for %s", link, name)}, {"try", "-arch=" + strings.Replace(name, strconv.Itoa(t.Number), strconv.Itoa(later), 1)}}
	}
	return []Fact{
		{"because", fmt.Sprintf("CUDA %s is the last that knows %s; the link is that of %s", last.Short(), name, link)},
		{"try", fmt.Sprintf("link as CUDA %[1]s does (culink --toolkit %[1]s, or CULINK_TOOLKIT=%[1]s), or compile and link for a later target", last.Short())},
	}
}

// otherValues lists the values that an option allows.
func (a *Adviser) otherValues(value, option string) []Fact {
	if a.Values == nil {
		return nil
	}
	allowed := a.Values(option)
	switch len(allowed) {
	case 0:
		return nil
	case 1:
		return []Fact{{"try", allowed[0] + ", the only value"}}
	}
	return append(nearWords(value, allowed), Fact{"values", strings.Join(allowed, ", ")})
}

// withoutTarget proposes the target of the first input with device code to a link without -arch.
func (a *Adviser) withoutTarget() []Fact {
	if a.Target != "" || len(a.Files) == 0 {
		return nil
	}
	holder, target := "", ""
	a.parts(func(file string, p *inspect.Part) {
		for q := range p.Cubins() {
			if target == "" {
				holder, target = file, q.Cubin.Target
			}
		}
	})
	if target == "" {
		return []Fact{{"try", "-arch with a target; --help lists them"}}
	}
	return []Fact{{"holds", fmt.Sprintf("%s: code for %s", holder, target)}, {"try", "-arch=" + target}}
}

// FirstWords returns the help for a command line without arguments.
func FirstWords(tool string) []Fact {
	return []Fact{
		{"link", tool + " -arch=sm_90 a.o b.o libc.a -o out.cubin"},
		{"options", tool + " --help"},
		{"in a build", tool + " --make-shadow DIR: a CUDA toolkit whose nvlink is " + tool},
	}
}

// Cause returns the cause of a message if the message does not contain it: the system's error, or the place in the file.
func Cause(d diag.Diagnostic) []Fact {
	if d.Cause == nil {
		return nil
	}
	text := strings.TrimPrefix(d.Cause.Error(), d.File()+": ")
	if failed := (*fs.PathError)(nil); errors.As(d.Cause, &failed) {
		text = failed.Err.Error()
		if d.File() == "" && failed.Path != "" {
			text = failed.Path + ": " + text
		}
	}
	if strings.Contains(d.Text(), text) {
		return nil
	}
	return []Fact{{"because", text}}
}
