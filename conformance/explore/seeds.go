package explore

import (
	"io/fs"
	"slices"
	"strings"

	"github.com/culink/culink/conformance/attempt"
	"github.com/culink/culink/conformance/reduce"
	"github.com/culink/culink/conformance/suite"
)

// seeds returns the links of a corpus for a target that have small inputs. The steps of a case form one chain. If a
// case has too many steps, each step is a seed. Links that run another program, such as ptxas or the compiler of -lto,
// are omitted because they take too long. Links on which the recorded nvlink did not end by itself are omitted too.
func seeds(corpus fs.FS, sm string) (list []*Input, err error) {
	cases, err := suite.LoadCases(corpus)
	if err != nil {
		return nil, err
	}
	for _, c := range cases {
		if !slices.Contains(c.Targets, sm) {
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
			if in := newInput(sm, r.Inputs, steps); in.isSeed() {
				list = append(list, in)
			}
			continue
		}
		for i := range steps {
			if in := newInput(sm, r.Before(i), steps[i:i+1]); in.isSeed() {
				list = append(list, in.onlyNamed())
			}
		}
	}
	return list, nil
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

// isSeed reports whether an input for a target links quickly.
func (in *Input) isSeed() bool {
	for name, data := range in.Files {
		if strings.HasSuffix(name, ".ptx") || len(data) > mostBytes {
			return false
		}
	}
	for _, step := range in.Steps {
		if _, ok := reduce.TargetOf(step); !ok {
			return false
		}
		for _, word := range step {
			if strings.Contains(word, "lto") || strings.Contains(word, "ptx") || strings.HasPrefix(word, "@") || strings.Contains(word, "time") {
				return false
			}
		}
	}
	_, err := in.onlyNamed().build()
	return err == nil
}

// onlyNamed returns the input without the files that no command line can refer to.
func (in *Input) onlyNamed() *Input {
	if slices.ContainsFunc(in.Steps, func(step []string) bool {
		return slices.ContainsFunc(step, func(w string) bool { return strings.HasPrefix(w, "-l") || strings.HasPrefix(w, "-L") })
	}) {
		return in // by way of a library
	}
	c := in.clone()
	for name := range in.Texts {
		if !in.isNamed(name) {
			delete(c.Texts, name)
		}
	}
	return c
}
