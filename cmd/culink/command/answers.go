package command

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/culink/culink/cmd/culink/advice"
	"github.com/culink/culink/cmd/culink/output"
	"github.com/culink/culink/linker/diag"
	"github.com/culink/culink/linker/input"
	"github.com/culink/culink/linker/limit"
	"github.com/culink/culink/linker/option"
)

// An answer is an explanation below a message that users search for (DIAG-502). culink prints answers with --advice, and
// on a terminal if the command is called culink. Otherwise stderr is the same as nvlink's. Build tools read the output
// through a pipe and get no answers. For these, CULINK_ADVICE prints answers or collects them in a file (DIAG-505).

// printsAdvice reports whether answers are printed below messages. variable is the value of CULINK_ADVICE.
func (c *command) printsAdvice(s *option.Settings, variable, tool string) bool {
	switch {
	case s.Advice != "":
		return s.Advice == "yes"
	case variable == "1":
		return true
	case variable == "0" || option.NamesFile(variable) || tool != "culink":
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

// gatherAdvice starts the block of this link's answers for the file of CULINK_ADVICE. It returns nil if there is no such
// file, or if the command line has --advice.
func gatherAdvice(s *option.Settings, variable string) *advice.Block {
	if s.Advice != "" || !option.NamesFile(variable) {
		return nil
	}
	folder, err := os.Getwd()
	if err != nil {
		folder = "an unknown folder"
	}
	return &advice.Block{Output: s.Output, Target: s.Arch, Folder: folder}
}

// appendAdvice appends a block to its file. It does not touch a file that is an input or an output of the link. It
// ignores a write error, because answers must not make a link fail.
func (f *files) appendAdvice(s *option.Settings, name string, block *advice.Block) {
	others := append(f.read, s.Inputs...)
	others = append(others, named(s.Output, s.RegisterLinkBinaries, s.DotFile, s.TimeFile, mapName(s), s.TraceFile, s.ReproFile)...)
	if output.Clash([]string{name}, others) == "" {
		block.AppendTo(name)
	}
}

// showAdvice prints a file of answers, or logs that it cannot be opened.
func showAdvice(name string, log *diag.Log, stdout io.Writer) {
	data, err := limit.ReadFile(name, limit.MostOfFile)
	if err != nil {
		log.Add(diag.New(diag.CannotOpenInput, name).Because(err))
		return
	}
	if len(data) == 0 {
		fmt.Fprintln(stdout, "no answers")
		return
	}
	advice.Show(stdout, string(data)) // the writer keeps its error
}

// adviser returns an Adviser for the command line. The inputs are added after they are loaded.
func adviser(s *option.Settings) *advice.Adviser {
	libraries := sync.OnceValue(func() []string { return unnamedLibraries(s) })
	byName := sync.OnceValue(func() []advice.Library { return namedLibraries(s) })
	open := func(name string) ([]byte, error) {
		isNamed := slices.ContainsFunc(byName(), func(l advice.Library) bool { return slices.Contains(l.Files, name) })
		if !isNamed && !slices.Contains(s.Inputs, name) && !slices.Contains(libraries(), name) {
			return nil, fmt.Errorf("%s is no input", name)
		}
		if info, err := os.Stat(name); err != nil || !info.Mode().IsRegular() {
			return nil, fmt.Errorf("%s is no regular file", name) // a pipe may have no writer any more
		}
		return limit.ReadFile(name, limit.MostOfFile)
	}
	a := advice.ForTarget(s.Toolkit, s.Arch)
	a.Files, a.Libraries, a.Named, a.Open = s.Inputs, libraries, byName, open
	a.Options = func() []string { return option.Spellings(s.Toolkit) }
	a.Values = func(name string) []string { return option.Values(s.Toolkit, name) }
	a.Host, a.LTO, a.Registers = s.Platform, s.LTO(), s.RegisterLinkBinaries != ""
	return a
}

// namedLibraries returns the libraries that -l names, each with the matching files in the -L folders.
func namedLibraries(s *option.Settings) (list []advice.Library) {
	host := s.Platform.Or()
	var folders []string
	for _, folder := range s.LibraryPaths {
		folders = append(folders, host.Local(folder))
	}
	known := readFolders(folders)
	for _, name := range s.Libraries {
		l := advice.Library{Name: name}
		for _, search := range host.Searches(name) {
			for path := range host.Places(s.LibraryPaths, known.mayHave(search.Names), search.Names...) {
				_, err := os.Stat(host.Local(path))
				switch {
				case err != nil:
				case search.Links:
					l.Files = append(l.Files, path)
				case l.Shared == "":
					l.Shared = path
				}
			}
			l.File = search.Names[0]
		}
		list = append(list, l)
	}
	return list
}

// folderNames maps the file names in folders to the indices of their folders. Names are in lower case because some file systems
// ignore case. Each folder is read once, because a command line may have thousands of folders and libraries.
type folderNames struct {
	all, unread []int // the folders, and those that cannot be read
	withName    map[string][]int
}

func readFolders(folders []string) folderNames {
	f := folderNames{withName: map[string][]int{}}
	read := map[string]bool{}
	for i, folder := range folders {
		if folder = filepath.Clean(folder); read[folder] {
			continue
		}
		read[folder] = true
		entries, err := os.ReadDir(folder)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			continue
		case err != nil:
			f.unread = append(f.unread, i)
		}
		f.all = append(f.all, i)
		for _, e := range entries {
			name := strings.ToLower(e.Name())
			f.withName[name] = append(f.withName[name], i)
		}
	}
	return f
}

// mayHave returns the folders that may contain a file with one of these names, in order. For a name with a path
// separator, a colon or non-ASCII letters it returns all folders.
func (f folderNames) mayHave(names []string) []int {
	indices := slices.Clone(f.unread)
	for _, name := range names {
		if strings.ContainsFunc(name, func(c rune) bool { return c > unicode.MaxASCII || strings.ContainsRune(`/\:`, c) }) {
			return f.all
		}
		indices = append(indices, f.withName[strings.ToLower(name)]...)
	}
	slices.Sort(indices)
	return slices.Compact(indices)
}

// unnamedLibraries returns archives that are not on the command line, from the -L folders and
// the folders of the inputs.
func unnamedLibraries(s *option.Settings) (list []string) {
	host := s.Platform
	folders := slices.Clone(s.LibraryPaths)
	for _, name := range s.Inputs {
		folders = append(folders, filepath.Dir(name))
	}
	named, isRead := map[string]bool{}, map[string]bool{}
	for _, library := range s.Libraries {
		named[library] = true
	}
	for _, folder := range folders {
		if isRead[folder] {
			continue
		}
		isRead[folder] = true
		entries, _ := os.ReadDir(folder) // a folder that cannot be read has no suggestions
		for _, e := range entries {
			name := filepath.Join(folder, e.Name())
			library := strings.TrimSuffix(strings.TrimPrefix(e.Name(), host.LibraryPrefix), host.LibrarySuffix)
			if e.Type().IsRegular() && filepath.Ext(name) == host.LibrarySuffix && !slices.Contains(s.Inputs, name) && !named[library] {
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
