package platform

import (
	"bytes"
	"io"
	"runtime"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Platforms have names, and the running system is one of them (WIN-040).
func TestFind(t *testing.T) {
	for _, p := range All() {
		if got, ok := Find(p.Name); got != p || !ok {
			t.Errorf("%s is not found", p.Name)
		}
	}
	if p, ok := Find("plan9"); ok {
		t.Errorf("plan9 is %s", p.Name)
	}
	if !LinuxArm.IsA(Linux) || Windows.IsA(Linux) || Linux.IsA(LinuxArm) {
		t.Error("only nvlink for 64-bit Arm is a variant of that for Linux")
	}
	if (*Platform)(nil).Or() != Native() || Windows.Or() != Windows {
		t.Error("nil is not the native platform, or another one is not itself")
	}
}

// The parts of paths are found as nvlink does on each platform (WIN-005, WIN-021, WIN-031).
func TestPaths(t *testing.T) {
	for _, tt := range []struct {
		name                  string
		linuxBase, linuxExt   string
		base, ext             string
		linuxWhole, whole     bool
		inFolder, linuxFolder string
	}{
		{`d\a.obj`, `d\a.obj`, ".obj", "a.obj", ".obj", false, false, `d\a.obj/x`, `d\a.obj/x`},
		{`d.x\a`, `d.x\a`, `.x\a`, "a", "", false, false, `d.x\a/x`, `d.x\a/x`},
		{`/d/`, "", "", "", "", true, true, "/d/x", "/d/x"},
		{`d\/\`, `\`, "", "", "", false, false, "d/x", `d\/\/x`},
		{`\d`, `\d`, "", "d", "", false, true, `\d/x`, `\d/x`},
		{"C:d", "C:d", "", "C:d", "", false, true, "C:d/x", "C:d/x"},
		{"", "", "", "", "", false, false, "/x", "/x"},
	} {
		got := []any{Linux.Base(tt.name), Linux.Ext(tt.name), Windows.Base(tt.name), Windows.Ext(tt.name), Linux.IsAbs(tt.name), Windows.IsAbs(tt.name), Windows.InFolder(tt.name, "x"), Linux.InFolder(tt.name, "x")}
		want := []any{tt.linuxBase, tt.linuxExt, tt.base, tt.ext, tt.linuxWhole, tt.whole, tt.inFolder, tt.linuxFolder}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", tt.name, diff)
		}
	}
}

// A backslash is a part of a name on Linux. In a name for Windows it separates folders, which other systems do with a slash.
func TestLocal(t *testing.T) {
	want := map[*Platform]string{Linux: `d\a/b`, Windows: "d/a/b"}
	if runtime.GOOS == "windows" {
		want[Windows] = `d\a/b`
	}
	for p, want := range want {
		if got := p.Local(`d\a/b`); got != want {
			t.Errorf("%s: %s, want %s", p.Name, got, want)
		}
	}
}

// On Windows, -l with a rooted name needs no search path. A drive alone is no root (WIN-860).
func TestIsRooted(t *testing.T) {
	for name, want := range map[string]bool{
		`C:\x`: true, "C:/d/x": true, `\x`: true, "/x": true, `\\s\x`: true, "C:x": false, `d\x`: false, "x": false, "C:": false, "": false,
	} {
		if got := Windows.isRooted(name); got != want {
			t.Errorf("%q: %v", name, got)
		}
	}
	if Linux.isRooted("/x") {
		t.Error("a prefix precedes every name on Linux")
	}
}

// Searches returns the file names for -l (WIN-020).
func TestSearches(t *testing.T) {
	for _, tt := range []struct {
		p    *Platform
		name string
		want []Search
	}{
		{Linux, "x", []Search{{[]string{"libx.so"}, false}, {[]string{"libx.a"}, true}}},
		{Windows, "x", []Search{{[]string{"x.dll", "x"}, false}, {[]string{"x.lib"}, true}}},
		{Windows, "x.lib", []Search{{[]string{"x.lib"}, true}, {[]string{"x.lib.dll", "x.lib"}, false}, {[]string{"x.lib.lib"}, true}}},
	} {
		if diff := cmp.Diff(tt.want, tt.p.Searches(tt.name)); diff != "" {
			t.Errorf("%s: -l%s (-want +got):\n%s", tt.p.Name, tt.name, diff)
		}
	}
}

// IsSystem recognises the names of cudadevrt (LOAD-023).
func TestIsSystem(t *testing.T) {
	for name, want := range map[string]bool{
		"d/libcudadevrt.a": true, "cudadevrt.lib": true, "k.cudadevrt.cubin": true, `cudadevrt\x.obj`: true, "CUDADEVRT.LIB": false, "libcudadevr.a": false,
	} {
		if got := IsSystem(name); got != want {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
}

// On Windows only 32 bits of a size count (WIN-006).
func TestLong(t *testing.T) {
	const size = 3<<32 | 5
	if w, l := Windows.Long(size), Linux.Long(size); w != 5 || l != size {
		t.Errorf("%#x on Windows, %#x on Linux", w, l)
	}
}

// Outputs of one name are discarded on each platform, on every system (WIN-031, WIN-961).
func TestIsNull(t *testing.T) {
	for name, want := range map[string][3]bool{"NUL": {2: true}, "nul": {2: true}, "/dev/null": {true, true, false}, "/DEV/NULL": {}, "": {}, "out": {}} {
		for i, p := range All() {
			if got := p.IsNull(name); got != want[i] {
				t.Errorf("%s, %q: %v", p.Name, name, got)
			}
		}
	}
}

// Text has the line ends of the platform, and Ctrl-Z ends the input (WIN-030).
func TestText(t *testing.T) {
	for p, want := range map[*Platform]string{Linux: "a\nb\n", Windows: "a\r\nb\r\n"} {
		var b bytes.Buffer
		if n, err := io.WriteString(p.Text(&b), "a\nb\n"); n != 4 || err != nil || b.String() != want {
			t.Errorf("%s: %q, %d, %v", p.Name, b.String(), n, err)
		}
		if got := string(p.Encode([]byte("a\nb\n"))); got != want {
			t.Errorf("%s: %q", p.Name, got)
		}
	}
	if got := string(Windows.Decode([]byte("a\r\n\x1ab"))) + string(Linux.Decode([]byte("a\r\n\x1ab"))); got != "a\na\r\n\x1ab" {
		t.Errorf("%q", got)
	}
}

// PTX has the line ends of the platform in a file whose path contains ".ptx" (WIN-650).
func TestPTX(t *testing.T) {
	for path, crlf := range map[string]bool{
		"x.ptx": true, ".ptx": true, "x.ptxx": true, "a.ptx.x": true, "d.ptx/o.cubin": true, "x.PTX": false, "xptx": false, "x.cubin": false, "x": false,
	} {
		want := "//\n"
		if crlf {
			want = "//\r\n"
		}
		if got := string(Windows.PTX(path, []byte("//\n"))); got != want {
			t.Errorf("%s: %q", path, got)
		}
		if got := string(Linux.PTX(path, []byte("//\n"))); got != "//\n" {
			t.Errorf("%s on Linux: %q", path, got)
		}
	}
}

// The machine for -l is that of -cpu-arch, or else the one that nvlink is built for (LOAD-022). On a system without an
// nvlink, culink stands in for nvlink on Linux and x86-64 (WIN-040).
func TestMachine(t *testing.T) {
	for _, tt := range []struct {
		system, processor string
		want              *Platform
		machine           uint16
	}{
		{"linux", "amd64", Linux, 62}, {"linux", "arm64", LinuxArm, 183}, {"darwin", "arm64", Linux, 62},
		{"linux", "riscv64", Linux, 62}, {"windows", "arm64", Windows, 62},
	} {
		if got := nativeOf(tt.system, tt.processor); got != tt.want || got.Machine("") != tt.machine || got.Machine("unknown") != tt.machine {
			t.Errorf("%s, %s: %s, machine %d", tt.system, tt.processor, got.Name, got.Machine(""))
		}
	}
	for name, want := range map[string]uint16{"AARCH64": 183, "X86_64": 62, "RISCV64": 243} {
		if got := Linux.Machine(name); got != want || LinuxArm.Machine(name) != want {
			t.Errorf("%q: %d, want %d", name, got, want)
		}
	}
	for name, machine := range machines {
		if got, ok := HostOf(machine); got != name || !ok {
			t.Errorf("machine %d: %q, want %q", machine, got, name)
		}
	}
	if got, ok := HostOf(0); ok {
		t.Errorf("no machine: %q", got)
	}
}
