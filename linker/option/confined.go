package option

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/culink/culink/linker/arch"
	"github.com/culink/culink/linker/diag"
)

// A command line that a stranger has written must not reach beyond the folder of the link, nor
// choose what is run. [Settings.Confined] is the rule for it; the rows with Program of [Table] and
// of [Variables] are all by which a program or a library can be named, beside PATH.

// ownOutputs are the options that make more than the outputs of a link: a package of it, a
// folder with links to a toolkit.
var ownOutputs = []string{"repro", "make-shadow"}

// Confined refuses a command line that names a file outside of the folder of the link, or a
// program, or that asks for one of ownOutputs. The error names option and value.
func (s *Settings) Confined() error {
	for _, name := range s.Inputs {
		if !isInside(name) {
			return fmt.Errorf("input %q is outside of the folder", name)
		}
	}
	for i := range Table {
		o := &Table[i]
		if !s.Given(o.Long) {
			continue
		}
		if o.Program || slices.Contains(ownOutputs, o.Long) {
			return fmt.Errorf("--%s is not for the command line of somebody else", o.Long)
		}
		if !slices.Contains(pathOptions, o.Long) {
			continue
		}
		for _, name := range o.values(s) {
			if !isInside(name) {
				return fmt.Errorf("--%s %q is outside of the folder", o.Long, name)
			}
		}
	}
	for _, name := range s.Libraries {
		if strings.ContainsAny(name, `/\:`) {
			return fmt.Errorf("-l %q is no name of a library", name)
		}
	}
	return nil
}

// values are the texts that an option has.
func (o *Option) values(s *Settings) []string {
	switch field := o.field(s).(type) {
	case *[]string:
		return *field
	case *string:
		return []string{*field}
	}
	return nil
}

// isInside reports whether a path, as typed, stays in the current folder. The empty one names
// nothing.
func isInside(name string) bool {
	return name == "" || filepath.IsLocal(filepath.FromSlash(name))
}

// ParseConfined is ParseFor and Confined for a command line and the response files that come
// with it. A command line that Parse refuses is looked at as far as it goes, for so far it
// would have been carried out.
func ParseConfined(toolkit *arch.Profile, args []string, files map[string][]byte) (*Settings, error) {
	s, said := ParseFor(toolkit, nil, args, func(name string) ([]byte, error) {
		if data, ok := files[filepath.ToSlash(filepath.Clean(name))]; ok {
			return data, nil
		}
		return nil, fmt.Errorf("%s: no such file", name)
	})
	for _, d := range said {
		if d.ID == diag.CannotOpenOptionsFile {
			return nil, d
		}
	}
	return s, s.Confined()
}
