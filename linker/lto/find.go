package lto

import (
	"debug/elf"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/culink/culink/linker/helper"
)

// NVIDIA's compiler for link-time optimisation is part of libnvJitLink, a library of the
// toolkit. It is looked for where a toolkit keeps it, starting from what the command line
// names of that toolkit. The helper culink-lto loads it, so that a crash of the library
// ends only the helper, and culink needs no libc.
//
// culink has a libnvJitLink of its own, which may stand in the same place. It asks this
// package for PTX, so that it must never be found here: it is known by a symbol that it
// exports.

// A Compiler is a command that compiles as docs/lto.md says.
type Compiler struct {
	Command []string // the program, and words before the options
}

func (c Compiler) String() string { return strings.Join(c.Command, " ") }

// Variable is the environment variable that names the compiler.
const Variable = "CULINK_LTO"

// HelperName is the command that runs libnvJitLink as a compiler.
const HelperName = "culink-lto"

// OwnSymbol is exported by culink's own libnvJitLink, and by no other.
const OwnSymbol = "culinkNvJitLink"

// libraryNames are the names of libnvJitLink, the one of the release that culink stands
// in for first.
var libraryNames = []string{"libnvJitLink.so.13", "libnvJitLink.so"}

// A Search says where a compiler may be.
type Search struct {
	// Named is what --lto-compiler names: a command with blanks between its words, or a
	// libnvJitLink, by its file or its folder. Empty: what the environment names.
	Named string
	// NVVMPath is the folder that -nvvmpath names; PTXAS the assembler's program. A toolkit
	// has the library near both.
	NVVMPath, PTXAS string
	// Beside is the folder in which the helper is, before the search path: the one of
	// culink, or of the library that calls. Empty: the folder of the running program.
	Beside string
}

// A NotFoundError says that there is no compiler.
type NotFoundError struct {
	Helper bool     // the library is there, and the helper is missing
	Looked []string // where it was looked for, in order
}

func (e *NotFoundError) Error() string {
	what := "NVIDIA's libnvJitLink"
	if e.Helper {
		what = HelperName + ", the program that loads libnvJitLink"
	}
	if len(e.Looked) == 0 {
		return what + " is nowhere: neither " + Variable + " nor a ptxas of its toolkit is there"
	}
	return what + " is not in " + strings.Join(e.Looked, ", ")
}

// Find returns the compiler of a link. The error is a [NotFoundError].
func Find(s Search) (Compiler, error) {
	named := s.Named
	if named == "" {
		named = os.Getenv(Variable)
	}
	library := ""
	var looked []string
	switch {
	case named != "" && !isLibrary(named):
		return Compiler{Command: strings.Fields(named)}, nil
	case named != "":
		library, looked = find([]string{named})
	default:
		library, looked = find(s.places())
	}
	if library == "" {
		return Compiler{}, &NotFoundError{Looked: looked}
	}
	program, looked := s.helper()
	if program == "" {
		return Compiler{}, &NotFoundError{Helper: true, Looked: looked}
	}
	return Compiler{Command: []string{program, library}}, nil
}

// isLibrary tells the name of a library, or of a folder, from a command.
func isLibrary(name string) bool {
	if strings.Contains(filepath.Base(name), ".so") {
		return true
	}
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}

// places are the folders in which a toolkit may have the library.
func (s *Search) places() []string {
	var places []string
	around := func(root string) {
		places = append(places, filepath.Join(root, "lib"), filepath.Join(root, "lib64"), filepath.Join(root, "targets", "*", "lib"))
	}
	if s.NVVMPath != "" {
		for _, dir := range []string{s.NVVMPath, filepath.Join(s.NVVMPath, "..")} {
			places = append(places, dir)
			around(dir)
		}
	}
	if program, err := exec.LookPath(s.PTXAS); s.PTXAS != "" && err == nil {
		around(filepath.Join(filepath.Dir(program), ".."))
		if real, err := filepath.EvalSymlinks(program); err == nil && real != program {
			around(filepath.Join(filepath.Dir(real), ".."))
		}
	}
	return places
}

// find returns the first libnvJitLink of NVIDIA's among places: files, or folders with '*'
// in their names. looked are the places.
func find(places []string) (library string, looked []string) {
	for _, place := range places {
		if slices.Contains(looked, place) {
			continue
		}
		looked = append(looked, place)
		found := []string{place}
		if strings.Contains(place, "*") {
			found, _ = filepath.Glob(place)
		}
		for _, name := range found {
			for _, file := range append([]string{name}, inFolder(name)...) {
				if isOther(file) {
					return file, looked
				}
			}
		}
	}
	return "", looked
}

// inFolder are the paths that the library may have in a folder.
func inFolder(dir string) []string {
	var paths []string
	for _, name := range libraryNames {
		paths = append(paths, filepath.Join(dir, name))
	}
	return paths
}

// isOther reports whether a file is a library, and not culink's own.
func isOther(name string) bool {
	info, err := os.Stat(name)
	if err != nil || !info.Mode().IsRegular() {
		return false
	}
	f, err := elf.Open(name)
	if err != nil {
		return false
	}
	defer f.Close()
	symbols, err := f.DynamicSymbols()
	return err == nil && !slices.ContainsFunc(symbols, func(s elf.Symbol) bool {
		return s.Name == OwnSymbol && s.Section != elf.SHN_UNDEF
	})
}

// helper returns the program that loads the library: beside the linker, or on PATH.
func (s *Search) helper() (program string, looked []string) {
	dir := s.Beside
	if dir == "" {
		if self, err := os.Executable(); err == nil {
			dir = filepath.Dir(self)
		}
	}
	name := HelperName
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	if dir != "" {
		program = filepath.Join(dir, name)
		if info, err := os.Stat(program); err == nil && info.Mode().IsRegular() {
			return program, nil
		}
		looked = append(looked, dir)
	}
	if program := helper.Find(HelperName); program != "" {
		return program, nil
	}
	return "", append(looked, fmt.Sprintf("PATH (%s)", os.Getenv("PATH")))
}
