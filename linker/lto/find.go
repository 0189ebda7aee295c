package lto

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/culink/culink/linker/helper"
)

// NVIDIA's compiler for link-time optimisation is part of libnvJitLink, a library of the toolkit. It is looked
// for in the usual folders of a toolkit, starting from the parts of that toolkit that the command line refers
// to. The helper culink-lto loads it. A crash of the library therefore ends only the helper, and culink needs
// no libc.
//
// culink has its own libnvJitLink, which may be installed in the same place. That library uses this package to
// compile to PTX. It must therefore never be found here. It is recognised by a symbol that it exports.

// A Compiler is a command that implements the protocol of docs/lto.md.
type Compiler struct {
	Command []string // the program and arguments that precede the options
}

func (c Compiler) String() string { return strings.Join(c.Command, " ") }

// Variable is the name of the environment variable that holds the compiler's command.
const Variable = "CULINK_LTO"

// HelperName is the name of the program that runs libnvJitLink as a compiler.
const HelperName = "culink-lto"

// OwnSymbol is a symbol that only culink's own libnvJitLink exports.
const OwnSymbol = "culinkNvJitLink"

// A Search determines where a compiler is looked for.
type Search struct {
	// Named is the value of --lto-compiler: a command with blanks between its words, or the file or folder of a
	// libnvJitLink. If it is empty, the environment variable applies.
	Named string
	// NVVMPath is the folder of -nvvmpath. PTXAS is the path of the assembler. In a toolkit the library is near
	// both.
	NVVMPath, PTXAS string
	// Beside is the folder in which the helper is looked for before the search path. It is that of culink, or
	// that of the calling library. If it is empty, the folder of the running program is used.
	Beside string

	system string // the value of GOOS whose libraries are looked for; if empty, that of this program
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
	form := s.libraryForm()
	library := ""
	var looked []string
	switch {
	case named != "" && !form.isLibrary(named):
		return Compiler{Command: strings.Fields(named)}, nil
	case named != "":
		library, looked = form.find([]string{named})
	default:
		library, looked = form.find(s.places())
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

// places returns the folders in which a toolkit may have the library.
func (s *Search) places() []string {
	var places []string
	around := func(root string) {
		for _, folder := range s.libraryForm().folders {
			places = append(places, filepath.Join(root, filepath.FromSlash(folder)))
		}
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
