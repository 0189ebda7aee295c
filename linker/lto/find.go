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

// NVIDIA's compiler for link-time optimisation is part of libnvJitLink, a library of the toolkit. It is looked
// for in the usual folders of a toolkit, starting from the parts of that toolkit that the command line refers
// to. The helper culink-lto loads it. A crash of the library therefore ends only the helper, and culink needs
// no libc.
//
// culink has its own libnvJitLink, which may be installed in the same place. That library uses this package to
// compile to PTX, so it must never be found here. It is recognised by a symbol that it exports.

// A Compiler is a command that implements the protocol of docs/lto.md.
type Compiler struct {
	Command []string // the program and arguments that precede the options
}

func (c Compiler) String() string { return strings.Join(c.Command, " ") }

// Variable is the environment variable with the compiler's command.
const Variable = "CULINK_LTO"

// HelperName is the name of the program that runs libnvJitLink as a compiler.
const HelperName = "culink-lto"

// OwnSymbol is a symbol that only culink's own libnvJitLink exports.
const OwnSymbol = "culinkNvJitLink"

// libraryNames are the names of libnvJitLink. The name in the emulated release comes first.
var libraryNames = []string{"libnvJitLink.so.13", "libnvJitLink.so"}

// A Search determines where a compiler is looked for.
type Search struct {
	// Named is the value of --lto-compiler: a command with blanks between its words, or the file or folder of
	// a libnvJitLink. If empty, the environment variable applies.
	Named string
	// NVVMPath is the folder of -nvvmpath; PTXAS is the path of the assembler. A toolkit has the library near
	// both.
	NVVMPath, PTXAS string
	// Beside is the folder in which the helper is looked for before the search path: that of culink, or that of
	// the calling library. If empty, it is the folder of the running program.
	Beside string
}

// A NotFoundError reports that no compiler was found.
type NotFoundError struct {
	Helper bool     // the library was found, but the helper is missing
	Looked []string // the places searched, in order
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

// isLibrary reports whether name is a library or a folder, and not a command.
func isLibrary(name string) bool {
	if strings.Contains(filepath.Base(name), ".so") {
		return true
	}
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}

// places returns the folders in which a toolkit may have the library.
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

// find returns the first of NVIDIA's libnvJitLinks among places: files, or folders with '*' in their names.
// looked lists the places.
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

// inFolder returns the possible paths of the library in a folder.
func inFolder(dir string) []string {
	var paths []string
	for _, name := range libraryNames {
		paths = append(paths, filepath.Join(dir, name))
	}
	return paths
}

// isOther reports whether a file is a library other than culink's own.
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

// helper returns the program that loads the library, from the linker's folder or from PATH.
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
