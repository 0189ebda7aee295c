package input

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/culink/culink/fuzz/craft"
	"github.com/culink/culink/linker/coff"
	"github.com/culink/culink/linker/diag"
	"github.com/culink/culink/linker/platform"
)

// Letters and digits stay, including the first and the last of each range, and all other bytes are replaced
// (LOAD-025). On Windows a name that begins with a backslash or a drive is also absolute (WIN-021).
func TestFileModule(t *testing.T) {
	folder := "Z:\\work\\"
	for _, tt := range []struct {
		host       *platform.Platform
		name, want string
	}{
		{platform.Linux, "/09azAZ/:@[`{.é", "_09azAZ" + "________" + "_"},
		{platform.Linux, "a.cubin", "Z__work_a_cubin"},
		{platform.Linux, `\a.cubin`, "Z__work__a_cubin"},
		{platform.Linux, "Z:a.cubin", "Z__work_Z_a_cubin"},
		{platform.Windows, "a.cubin", "Z__work_a_cubin"},
		{platform.Windows, `d\a.cubin`, "Z__work_d_a_cubin"},
		{platform.Windows, `\tmp\x\f.cubin`, "_tmp_x_f_cubin"},
		{platform.Windows, "/tmp/x/f.cubin", "_tmp_x_f_cubin"},
		{platform.Windows, "é€.cubin", "Z__work____cubin"},
		{platform.Windows, "Z:f.cubin", "Z_f_cubin"},
	} {
		l := &loader{host: tt.host, cwd: &folder}
		if got := l.fileModule(tt.name); got != tt.want {
			t.Errorf("%s: %s: %q, want %q", tt.host.Name, tt.name, got, tt.want)
		}
	}
}

// Names end with the file, whatever size their section has (LOAD-025).
func TestModuleIDsOfDamagedSection(t *testing.T) {
	for rest, want := range map[string][]string{"a\x00\x00b": {"a", "b"}, "\x00b\x00": {"", "b"}, "": {""}} {
		if got := idsIn(coff.Section{Size: 1 << 60, Rest: []byte(rest)}); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", rest, got, want)
		}
	}
}

// Up to 12.5 the register file has a line for each file named .fatbin without code for the target. One of libcudadevrt counts as
// an object of it: the line is left out if the object is not needed (LOAD-993, LOAD-043).
func TestRegistersOthers(t *testing.T) {
	t.Chdir(t.TempDir())
	names := []string{"a.fatbin", "cudadevrt-b.fatbin", "cudadevrt-c.fatbin"}
	for _, name := range names {
		if err := os.WriteFile(name, craft.Fatbin(craft.Entry{Kind: 2, Arch: 80, Payload: []byte("another target")}), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for release, wants := range map[string][]int{"12.5": {1, 2, 3}, "13.0": {0, 0, 0}} {
		var log diag.Log
		loaded, err := Load(t.Context(), Options{Arch: "sm_90", Toolkit: release, Registers: true, Files: names}, &log)
		if err != nil {
			t.Fatal(err)
		}
		for needed, want := range wants {
			if got := strings.Count(string(loaded.RegisterFile(needed)), "((null))"); got != want {
				t.Errorf("%s, %d objects of libcudadevrt needed: %d lines, want %d", release, needed, got, want)
			}
		}
	}
}
