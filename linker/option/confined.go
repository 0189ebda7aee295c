package option

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/culink/culink/linker/arch"
	"github.com/culink/culink/linker/diag"
)

// A command line that is not trusted must not access files outside the folder of the link, and must not choose
// which programs are run. [Settings.Confined] checks this. Apart from PATH, only those rows of [Table] and of
// [Variables] that have Program set can select a program or a library.

// ownOutputs are the options that create more than the outputs of a link. They create a package of the link,
// or a folder with symbolic links to a toolkit.
var ownOutputs = []string{"repro", "make-shadow"}

// Confined refuses a command line that has a file outside the folder of the link, a program, or one of
// ownOutputs. The error contains the option and its value.
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

// values returns the texts that are the value of an option.
func (o *Option) values(s *Settings) []string {
	switch field := o.field(s).(type) {
	case *[]string:
		return *field
	case *string:
		return []string{*field}
	}
	return nil
}

// isInside reports whether a path, as typed, is inside the current folder. The empty path counts as inside.
func isInside(name string) bool {
	return name == "" || filepath.IsLocal(filepath.FromSlash(name))
}

// ParseConfined is ParseFor followed by Confined, for a command line with its response files. If the parser
// refuses the command line, the words before the error are checked all the same, because they would have taken
// effect.
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
