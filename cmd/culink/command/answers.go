package command

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/culink/culink/cmd/culink/advice"
	"github.com/culink/culink/linker/edgname"
	"github.com/culink/culink/linker/input"
	"github.com/culink/culink/linker/option"
)

// Answers follow the messages that people search for (DIAG-502): for --advice, and at a
// terminal by the name culink. Called as nvlink, or into a file, stderr stays nvlink's.

// adviceVariable is the environment variable that turns answers off.
const adviceVariable = "CULINK_ADVICE"

// printsAdvice reports whether answers stand below messages.
func (c *command) printsAdvice(s *option.Settings, tool string) bool {
	switch {
	case s.Advice != "":
		return s.Advice == "yes"
	case os.Getenv(adviceVariable) == "0" || tool != "culink":
		return false
	}
	return c.atTerminal
}

// isTerminal reports whether w is a terminal.
func isTerminal(w io.Writer) bool {
	file, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := file.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// adviser knows the command line; the inputs follow when they are loaded.
func adviser(s *option.Settings) *advice.Adviser {
	libraries := sync.OnceValue(func() []string { return unnamedLibraries(s) })
	return &advice.Adviser{Demangle: edgname.Demangle, Files: s.Inputs, Libraries: libraries, Options: option.Spellings(s.Toolkit), Values: map[string][]string{"trace": phaseNames()}, Open: func(name string) ([]byte, error) {
		if !slices.Contains(s.Inputs, name) && !slices.Contains(libraries(), name) {
			return nil, fmt.Errorf("%s is no input", name)
		}
		return os.ReadFile(name)
	}}
}

// unnamedLibraries are the archives that the command line could name: in the folders of -L, and
// in those of its inputs.
func unnamedLibraries(s *option.Settings) (list []string) {
	host := s.Platform
	folders := slices.Clone(s.LibraryPaths)
	for _, name := range s.Inputs {
		folders = append(folders, filepath.Dir(name))
	}
	for i, folder := range folders {
		entries, err := os.ReadDir(folder)
		if err != nil || slices.Contains(folders[:i], folder) {
			continue
		}
		for _, e := range entries {
			name := filepath.Join(folder, e.Name())
			library := strings.TrimSuffix(strings.TrimPrefix(e.Name(), host.LibraryPrefix), host.LibrarySuffix)
			if e.Type().IsRegular() && filepath.Ext(name) == host.LibrarySuffix && !slices.Contains(s.Inputs, name) && !slices.Contains(s.Libraries, library) {
				list = append(list, name)
			}
		}
	}
	return list
}

func adviceInputs(l *input.Loaded) []advice.Object {
	objects := make([]advice.Object, len(l.Objects))
	for i, o := range l.Objects {
		objects[i] = advice.Object{Name: o.Name, Data: o.Data}
	}
	return objects
}
