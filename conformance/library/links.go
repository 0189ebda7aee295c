package library

import (
	"io/fs"
	"maps"
	"path"
	"path/filepath"

	"github.com/culink/culink/conformance/attempt"
	"github.com/culink/culink/conformance/suite"
	"github.com/culink/culink/linker/arch"
	"github.com/culink/culink/linker/option"
)

// A library can also make the links of the corpus whose options it supports. Their cases are generated from the corpus:
// one for each target of a case, from its first step.

// passedOn lists the long names of nvlink's options that the library also supports.
var passedOn = map[string]bool{
	"arch": true, "output-file": true, "machine": true, "relocatable-link": true, "debug": true, "verbose": true,
	"kernels-used": true, "variables-used": true,
}

// inputKinds maps the file suffixes that nvlink recognises to the types of inputs.
var inputKinds = map[string]string{".cubin": "cubin", ".fatbin": "fatbin", ".o": "object", ".a": "library"}

// linkRule is the id of the rule that the generated cases test.
const linkRule = "JIT-071"

// CorpusCases generates the cases.
func CorpusCases(corpus fs.FS) ([]*Case, error) {
	all, err := suite.LoadCases(corpus)
	if err != nil {
		return nil, err
	}
	var cases []*Case
	for _, c := range all {
		for _, sm := range c.Targets {
			if made := corpusCase(corpus, c, sm); made != nil {
				cases = append(cases, made)
			}
		}
	}
	return cases, nil
}

// corpusCase generates one case. It returns nil if the library cannot make the link.
func corpusCase(corpus fs.FS, c *suite.Case, sm string) *Case {
	none := func(string) ([]byte, error) { return nil, fs.ErrNotExist }
	settings, said := option.Parse(c.Argv(0, sm), none)
	if target, known := arch.Parse(settings.Arch); len(said) > 0 || !known || target.Kind == arch.Virtual {
		return nil // the library creates no handle for a compute target
	}
	for _, o := range option.Table {
		if settings.Given(o.Long) && !passedOn[o.Long] {
			return nil
		}
	}
	create := Call{Words: []string{"create", "-arch=" + settings.Arch}}
	for _, o := range []struct {
		given bool
		word  string
	}{{settings.Relocatable, "-r"}, {settings.Debug, "-g"}, {settings.Verbose, "-verbose"}} {
		if o.given {
			create.Words = append(create.Words, o.word)
		}
	}
	for _, name := range settings.KernelsUsed {
		create.Words = append(create.Words, "-kernels-used="+name)
	}
	for _, name := range settings.VariablesUsed {
		create.Words = append(create.Words, "-variables-used="+name)
	}
	made := &Case{Name: path.Join(c.Area, c.Name, "sm_"+sm), Rules: []string{linkRule}, Calls: []Call{create}}
	folder := path.Join(c.Area, c.Name, "sm_"+sm, "in")
	for _, name := range settings.Inputs {
		inside := path.Join(folder, name)
		kind := inputKinds[filepath.Ext(name)]
		info, err := fs.Stat(corpus, inside)
		if err != nil || info.IsDir() || kind == "" {
			return nil
		}
		if info.Size() > 0 {
			made.Calls = append(made.Calls, Call{Words: []string{"add", kind, corpusPrefix + inside, name}})
		}
	}
	for _, word := range []string{"complete", "cubin", "destroy"} {
		made.Calls = append(made.Calls, Call{Words: []string{word}})
	}
	return made
}

// WriteInputs writes the files that cases name into a folder.
func WriteInputs(dir string, cases []*Case, recorded, corpus fs.FS) error {
	all := attempt.Files{}
	for _, c := range cases {
		maps.Copy(all, c.Files(recorded, corpus))
	}
	return all.Write(dir)
}
