// Package platform describes how nvlink differs between systems. NVIDIA builds it for Linux and for Windows.
// Links of device code are the same, but host objects and libraries, paths, response files and streams differ
// (docs/rules.md, WIN).
package platform

import (
	"runtime"
	"strings"
)

// A Platform is a system that nvlink is built for. Its fields describe that nvlink. A nil Platform means
// [Native].
type Platform struct {
	Name    string    // "linux", as in GOOS; "linux-arm64"
	Variant *Platform // of which it is a variant for another processor; nil: of none
	CPUArch string    // processor that nvlink is built for, a value of -cpu-arch

	COFF          bool   // host objects are COFF files; ELF ones count only in archives (WIN-001)
	CubinSuffix   string // of files that contain a cubin or a host object; empty: only .cubin files contain a cubin
	SharedSuffix  string // of shared libraries; only archives among them are read
	LibraryPrefix string // of the file for -l
	LibrarySuffix string // of the file for -l; on Windows it is not added to a name that has it
	ChecksLibrary bool   // -l skips a library without host objects
	OpensFolders  bool   // a folder opens as a file, which then cannot be read (LOAD-935)

	LongBits       int      // size of C's long, which holds the buffer size for decoded code (WIN-006)
	Separators     string   // between the components of a path
	Drives         bool     // a path may begin with a drive: C:
	Null           string   // the name of the file that discards all output; on Windows in any case
	Escapes        bool     // a backslash in a response file escapes the next character
	EndOfText      bool     // Ctrl-Z ends a text file
	TextOnStdout   bool     // messages go to stdout
	LineEnd        string   // of text
	OptimiserPaths []string // paths of the optimiser of -lto, relative to the folder of -nvvmpath
}

// The platforms.
var (
	Linux = &Platform{
		Name: "linux", CPUArch: "X86_64", CubinSuffix: ".o", SharedSuffix: ".so", LibraryPrefix: "lib", LibrarySuffix: ".a", ChecksLibrary: true, OpensFolders: true,
		LongBits:   64,
		Separators: "/", Null: "/dev/null", Escapes: true, LineEnd: "\n", OptimiserPaths: []string{"lib64/libnvvm.so"},
	}
	Windows = &Platform{
		Name: "windows", CPUArch: "X86_64", COFF: true, SharedSuffix: ".dll", LibrarySuffix: ".lib",
		LongBits:   32,
		Separators: `/\`, Drives: true, Null: "NUL", EndOfText: true, TextOnStdout: true, LineEnd: "\r\n",
		OptimiserPaths: []string{"bin/nvvm64_40_0.dll", "bin/x64/nvvm64_40_0.dll"},
	}
	LinuxArm = variant(Linux, "linux-arm64", "AARCH64")
)

// variant returns the platform of nvlink for another processor.
func variant(of *Platform, name, cpuArch string) *Platform {
	p := *of
	p.Name, p.Variant, p.CPUArch = name, of, cpuArch
	return &p
}

// IsA reports whether p is a platform or a variant of it.
func (p *Platform) IsA(other *Platform) bool { return p == other || p.Variant == other }

// IsSystem reports whether a file is the library cudadevrt: its path contains that word (LOAD-023).
func IsSystem(name string) bool { return strings.Contains(name, "cudadevrt") }

// All lists the platforms.
func All() []*Platform { return []*Platform{Linux, LinuxArm, Windows} }

// Native returns the platform of the running program. Systems without an nvlink use Linux on x86-64 (WIN-040).
func Native() *Platform { return nativeOf(runtime.GOOS, runtime.GOARCH) }

func nativeOf(system, processor string) *Platform {
	switch {
	case system == Windows.Name:
		return Windows
	case system == "linux" && processor == "arm64":
		return LinuxArm
	}
	return Linux
}

// Find returns the platform with that name.
func Find(name string) (*Platform, bool) {
	for _, p := range All() {
		if p.Name == name {
			return p, true
		}
	}
	return nil, false
}

// Long returns a number truncated to C's long.
func (p *Platform) Long(n uint64) uint64 { return n & (1<<p.LongBits - 1) }

// Or returns p, or Native if p is nil.
func (p *Platform) Or() *Platform {
	if p == nil {
		return Native()
	}
	return p
}
