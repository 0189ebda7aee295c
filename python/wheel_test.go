// Package python holds the Python wheel of culink. wheel.py builds the wheel, and culink/ is the module in it.
package python

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// The wheel can be installed into a new virtual environment, and its commands run. The module returns the path of the
// library, and a program can load the library from there (JIT-090).
func TestWheel(t *testing.T) {
	if os.Getenv("CULINK_WHEEL") == "" {
		t.Skip("CULINK_WHEEL is not set: the step wheel of .ci/run sets it, because a wheel takes half a minute of processor time")
	}
	if runtime.GOOS != "linux" {
		t.Skip("the wheel of this test is for Linux")
	}
	for _, tool := range []string{"python3", "cc"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("no wheel is built: %v", err)
		}
	}
	dir := t.TempDir()
	folder := ""
	run := func(command ...string) string {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), command[0], command[1:]...)
		cmd.Dir = folder
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%q: %v\n%s", command, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	wheel := run("python3", "wheel.py", dir)
	folder = dir // otherwise Python would find the module in the source tree
	environment := filepath.Join(dir, "venv")
	if out, err := exec.CommandContext(t.Context(), "python3", "-m", "venv", "--without-pip", environment).CombinedOutput(); err != nil {
		t.Skipf("the wheel is built, and not tried: no virtual environment: %v\n%s", err, out)
	}
	bin := func(name string) string { return filepath.Join(environment, "bin", name) }
	if err := exec.CommandContext(t.Context(), "python3", "-m", "pip", "--version").Run(); err != nil {
		t.Skipf("the wheel is built, and not tried: no pip: %v", err)
	}
	run("python3", "-m", "pip", "--python", bin("python"), "install", "-q", "--no-index", "--disable-pip-version-check", wheel)
	for _, command := range [][]string{
		{"culink", "--version", "release 13.0, V13.0.88"}, {"cuconform", "help", "usage: cuconform"}, {"culink-lto", "-h", "usage: culink-lto"},
	} {
		out, _ := exec.CommandContext(t.Context(), bin(command[0]), command[1]).CombinedOutput()
		if !strings.Contains(string(out), command[2]) {
			t.Errorf("%q says %q, want %q in it", command[:2], out, command[2])
		}
	}
	const load = `import ctypes, sys
library = ctypes.CDLL(sys.argv[1])
major, minor = ctypes.c_uint(), ctypes.c_uint()
assert library.nvJitLinkVersion(ctypes.byref(major), ctypes.byref(minor)) == 0
print(major.value, minor.value)`
	for _, release := range []struct {
		args    []string
		version string
	}{{nil, "13 5"}, {[]string{"12"}, "12 9"}} {
		module := append([]string{bin("python"), "-m", "culink.nvjitlink"}, release.args...)
		library := run(append(module, "--path")...)
		if _, err := os.Stat(library); err != nil || !strings.HasPrefix(library, environment) {
			t.Errorf("the library is at %q: %v", library, err)
		}
		if info, err := os.Stat(filepath.Join(filepath.Dir(library), "culink-lto")); err != nil || info.Mode()&0o111 == 0 {
			t.Errorf("no program culink-lto is beside the library: %v", err)
		}
		for _, args := range [][]string{{}, {"--preload"}} {
			if told := run(append(module, args...)...); !strings.Contains(told, library) {
				t.Errorf("%q tells %q", args, told)
			}
		}
		if version := run(bin("python"), "-c", load, library); version != release.version {
			t.Errorf("version %q, want %q", version, release.version)
		}
	}
}

// The wheel for Windows has the commands and the DLLs, and pip installs it for that system. The module returns the path of a DLL. No
// Python for Windows runs here.
func TestWindowsWheel(t *testing.T) {
	if os.Getenv("CULINK_WHEEL") != "windows" || runtime.GOOS != "linux" {
		t.Skip("CULINK_WHEEL is not windows: the nightly step dll sets it on Linux")
	}
	for _, tool := range []string{"python3", "x86_64-w64-mingw32-gcc"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("no wheel is built: %v", err)
		}
	}
	run := func(command ...string) string {
		t.Helper()
		out, err := exec.CommandContext(t.Context(), command[0], command[1:]...).CombinedOutput()
		if err != nil {
			t.Fatalf("%q: %v\n%s", command, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	dir := t.TempDir()
	wheel, installed := run("python3", "wheel.py", dir, "win_amd64"), filepath.Join(dir, "installed")
	if !strings.HasSuffix(wheel, "-py3-none-win_amd64.whl") {
		t.Errorf("the wheel is %s", wheel)
	}
	if err := exec.CommandContext(t.Context(), "python3", "-m", "pip", "--version").Run(); err != nil {
		t.Skipf("the wheel is built, and not tried: no pip: %v", err)
	}
	run("python3", "-m", "pip", "install", "-q", "--no-index", "--disable-pip-version-check", "--only-binary=:all:",
		"--platform", "win_amd64", "--target", installed, wheel)
	for _, program := range []string{
		"bin/culink.exe", "bin/cuconform.exe", "bin/culink-lto.exe", "culink/lib/culink-lto.exe", "culink/lib/nvJitLink_130_0.dll", "culink/lib/nvJitLink_120_0.dll",
	} {
		if data, err := os.ReadFile(filepath.Join(installed, program)); err != nil || !strings.HasPrefix(string(data), "MZ") {
			t.Errorf("%s: %v, or no program for Windows", program, err)
		}
	}
	const module = `import ctypes, sys
sys.platform = "win32"
sys.path.insert(0, sys.argv[1])
from culink import nvjitlink
sys.exit(nvjitlink.main(sys.argv[2:]))`
	for _, args := range [][]string{{}, {"12"}} {
		library := run(append(append([]string{"python3", "-c", module, installed}, args...), "--path")...)
		if _, err := os.Stat(library); err != nil || filepath.Base(library) != "nvJitLink_"+strings.Join(append(args, "13")[:1], "")+"0_0.dll" {
			t.Errorf("the library is at %q: %v", library, err)
		}
		if told := run(append([]string{"python3", "-c", module, installed}, args...)...); !strings.Contains(told, library) || !strings.Contains(told, "culink.nvjitlink.load(") {
			t.Errorf("%q tells %q", args, told)
		}
	}
}
