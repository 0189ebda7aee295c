package explore

import (
	"io/fs"
	"slices"
	"strings"
	"sync"

	"github.com/culink/culink/conformance/attempt"
	"github.com/culink/culink/conformance/recipe"
	"github.com/culink/culink/conformance/reduce"
	"github.com/culink/culink/conformance/suite"
)

// A seed is a link of the corpus. It is converted to an Input when it is first picked, because the conversion takes
// longer than a link.
type seed struct {
	sm    string
	files attempt.Files
	steps [][]string

	once  sync.Once
	input *Input // nil if it is not converted yet or cannot be built again
}

// seeds returns the links of a corpus for a target whose inputs are small. A seed has all steps of a case, or one step
// if the case has too many. Links that run a program (ptxas, or the compiler of -lto) are omitted because they take too
// long. Links on which the recorded nvlink crashed or was stopped are omitted too. If whole is set, so are links with a
// file that no tool writes, and with an extensible whole program.
func seeds(corpus fs.FS, sm string, whole bool) (list []*seed, err error) {
	cases, err := suite.LoadCases(corpus)
	if err != nil {
		return nil, err
	}
	for _, c := range cases {
		if !slices.Contains(c.Targets, sm) || whole && (slices.ContainsFunc(c.Inputs, isForged) || slices.ContainsFunc(c.Inputs, isExtensible)) {
			continue
		}
		r, err := suite.LoadRecording(corpus, c, sm)
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(r.Steps, func(o attempt.Outcome) bool { return o.Class() != attempt.ClassEnd }) || sizeOf(r.Inputs) > mostOfSeed {
			continue
		}
		var steps [][]string
		for i := range r.Steps {
			steps = append(steps, c.Argv(i, sm))
		}
		if len(steps) <= mostSteps {
			list = append(list, &seed{sm: sm, files: r.Inputs, steps: steps})
			continue
		}
		for i := range steps {
			list = append(list, &seed{sm: sm, files: r.Before(i), steps: steps[i : i+1]})
		}
	}
	return slices.DeleteFunc(list, func(s *seed) bool { return !s.isQuick() }), nil
}

// isExtensible reports whether a recipe makes an extensible whole program. nvlink warns about other files beside such a program,
// and much of what it makes of them is wrong (docs/errata.md).
func isExtensible(r recipe.Recipe) bool {
	return slices.ContainsFunc(r.Args, func(word string) bool { return word == "-ewp" || word == "--extensible-whole-program" })
}

// isForged reports whether a recipe makes a file in another way than by the tools that programs are built with.
func isForged(r recipe.Recipe) bool {
	return !slices.Contains([]string{"nvcc", "ptxas", "tool", "copy", "archive", "fatbin"}, r.Maker)
}

// mostOfSeed is the largest size of a seed's inputs, in bytes.
const mostOfSeed = 64 << 10

// sizeOf returns the size of files in bytes.
func sizeOf(files attempt.Files) (n int) {
	for _, data := range files {
		n += len(data)
	}
	return n
}

// isQuick reports whether the link names its target and runs no program.
func (s *seed) isQuick() bool {
	for name, data := range s.files {
		if strings.HasSuffix(name, ".ptx") || len(data) > mostBytes {
			return false
		}
	}
	for _, step := range s.steps {
		if _, ok := reduce.TargetOf(step); !ok {
			return false
		}
		if !suite.IsQuick(step) {
			return false
		}
	}
	return true
}

// takeApart returns the seed as an input with its cubins built. isFirst reports whether this call converted it. The
// input is nil if it cannot be built again.
func (s *seed) takeApart() (in *Input, isFirst bool) {
	s.once.Do(func() {
		isFirst = true
		in := newInput(s.sm, s.files, s.steps).onlyNamed()
		if _, err := in.build(); err == nil {
			s.input = in
		}
		s.files = nil
	})
	return s.input, isFirst
}

// onlyNamed returns the input without the files that no command line can refer to.
func (in *Input) onlyNamed() *Input {
	if slices.ContainsFunc(in.Steps, func(step []string) bool {
		return slices.ContainsFunc(step, func(w string) bool { return strings.HasPrefix(w, "-l") || strings.HasPrefix(w, "-L") })
	}) {
		return in // a library may refer to any file
	}
	c := in.clone()
	for name := range in.Texts {
		if !in.isNamed(name) {
			delete(c.Texts, name)
		}
	}
	return c
}
