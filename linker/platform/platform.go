// Package platform says what nvlink does otherwise on another system. NVIDIA builds it for Linux and for Windows;
// links of device code agree, and what stands around them differs: the form of host objects and libraries, paths,
// response files, streams (docs/rules.md, WIN).
package platform

import (
	"runtime"
	"strings"
)

// A Platform is a system that nvlink is built for. Its fields are facts of that nvlink; nil is [Native].
type Platform struct {
	Name string // "linux", as GOOS spells it

	COFF          bool                   // host objects are COFF files; ELF ones count in archives alone (WIN-001)
	CubinSuffix   string                 // of files that hold a cubin or a host object; empty: none but .cubin holds a cubin
	SharedSuffix  string                 // of shared libraries, of which only archives are read
	LibraryPrefix string                 // of the file that -l names
	LibrarySuffix string                 // of it; on Windows a name that has it keeps it
	ChecksLibrary bool                   // -l passes over a library without host objects
	IsSystem      func(name string) bool // whether a file is the library cudadevrt

	LongBits       int      // of C's long, which holds the room for decoded code (WIN-006)
	Separators     string   // between the parts of a path
	Drives         bool     // a path may begin with a drive: C:
	Null           string   // the name, in any letters, that takes all output as no file does; empty: none
	Escapes        bool     // in a response file a backslash protects the next character
	EndOfText      bool     // Ctrl-Z ends a text file
	TextOnStdout   bool     // messages go to stdout
	LineEnd        string   // of text
	OptimiserPaths []string // of the optimiser of -lto, below the folder of -nvvmpath
}

// The platforms.
var (
	Linux = &Platform{
		Name: "linux", CubinSuffix: ".o", SharedSuffix: ".so", LibraryPrefix: "lib", LibrarySuffix: ".a", ChecksLibrary: true,
		IsSystem:   func(name string) bool { return strings.HasSuffix(name, "libcudadevrt.a") },
		LongBits:   64,
		Separators: "/", Escapes: true, LineEnd: "\n", OptimiserPaths: []string{"lib64/libnvvm.so"},
	}
	Windows = &Platform{
		Name: "windows", COFF: true, SharedSuffix: ".dll", LibrarySuffix: ".lib",
		IsSystem:   func(name string) bool { return strings.Contains(name, "cudadevrt") },
		LongBits:   32,
		Separators: `/\`, Drives: true, Null: "NUL", EndOfText: true, TextOnStdout: true, LineEnd: "\r\n",
		OptimiserPaths: []string{"bin/nvvm64_40_0.dll", "bin/x64/nvvm64_40_0.dll"},
	}
)

// All lists the platforms.
func All() []*Platform { return []*Platform{Linux, Windows} }

// Native is the platform of the running program; systems without an nvlink go by Linux.
func Native() *Platform {
	if runtime.GOOS == Windows.Name {
		return Windows
	}
	return Linux
}

// Find returns the platform of that name.
func Find(name string) (*Platform, bool) {
	for _, p := range All() {
		if p.Name == name {
			return p, true
		}
	}
	return nil, false
}

// Long returns a number as C's long holds it.
func (p *Platform) Long(n uint64) uint64 { return n & (1<<p.LongBits - 1) }

// Or returns p, or Native where p is nil.
func (p *Platform) Or() *Platform {
	if p == nil {
		return Native()
	}
	return p
}
