package command

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/culink/culink/linker/arch"
)

// fakeToolkit is a folder with the files that a toolkit is known by.
func fakeToolkit(t *testing.T) string {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("links to files need a privilege")
	}
	dir := t.TempDir()
	for _, name := range []string{"bin/nvcc", "bin/nvlink", "bin/ptxas", "bin/crt/link.stub", "include/cuda.h", "lib/libcudart_static.a", "version.json"} {
		write(t, filepath.Join(dir, filepath.FromSlash(name)), []byte(name))
	}
	return dir
}

// --make-shadow links to all of a toolkit but nvlink, which is this program, and leaves the
// toolkit and what stood there before as it was (OPT-505).
func TestMakeShadow(t *testing.T) {
	toolkit, dir := fakeToolkit(t), filepath.Join(t.TempDir(), "deep", "shadow")
	t.Setenv("CUDA_PATH", "")
	t.Setenv("CUDA_HOME", "")
	t.Setenv("PATH", t.TempDir())
	culink := func(args ...string) (int, string, string) {
		var stdout, stderr bytes.Buffer
		exit := run(t.Context(), append([]string{"culink"}, args...), &stdout, &stderr)
		return exit, stdout.String(), stderr.String()
	}
	if exit, out, errs := culink("--make-shadow", dir, "--cuda-path", toolkit); exit != 0 || errs != "" || !strings.Contains(out, filepath.Join(dir, "bin", "nvcc")) {
		t.Fatalf("exit %d, %s%s", exit, out, errs)
	}
	for name, want := range map[string]string{"bin/ptxas": "bin/ptxas", "bin/crt/link.stub": "bin/crt/link.stub", "lib64/libcudart_static.a": "lib/libcudart_static.a", "version.json": "version.json"} {
		if data, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(data) != want {
			t.Errorf("%s: %q, %v", name, data, err)
		}
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	want, err := os.Stat(self)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := os.Lstat(filepath.Join(dir, "bin", "nvlink")); err != nil || !got.Mode().IsRegular() || got.Mode().Perm()&0o111 == 0 || got.Size() != want.Size() {
		t.Errorf("nvlink: %v, %v", got, err)
	}
	if data, err := os.ReadFile(filepath.Join(toolkit, "bin", "nvlink")); err != nil || string(data) != "bin/nvlink" {
		t.Errorf("the toolkit's nvlink: %q, %v", data, err)
	}
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"--make-shadow", dir, "--cuda-path", toolkit}, "it is not empty\n"},
		{[]string{"--make-shadow", dir + "2", "--cuda-path", dir + "3"}, "is no CUDA toolkit: "},
		{[]string{"--make-shadow", dir + "2"}, "no CUDA toolkit: name its folder with --cuda-path\n"},
	} {
		if exit, _, errs := culink(c.args...); exit != 1 || !strings.HasPrefix(errs, fmt.Sprintf("culink fatal   : Could not make folder '%s' as a CUDA toolkit: ", c.args[1])) || !strings.Contains(errs, c.want) {
			t.Errorf("%q: exit %d, %s", c.args, exit, errs)
		}
	}
	if entries, _ := os.ReadDir(filepath.Dir(dir)); len(entries) != 1 {
		t.Errorf("%d entries beside the folder: a failure left something", len(entries)-1)
	}
	t.Setenv("CUDA_HOME", toolkit)
	if exit, _, errs := culink("--make-shadow=" + dir + "2"); exit != 0 {
		t.Errorf("by CUDA_HOME: exit %d, %s", exit, errs)
	}
}

// The version is one that build tools read: CMake and XLA take the first V with three
// numbers, Meson what follows the last V (OPT-028); for each release that --toolkit names.
func TestVersionIsParsed(t *testing.T) {
	for _, release := range arch.Releases() {
		printed := func(option string) string {
			var stdout, stderr strings.Builder
			if exit := run(t.Context(), []string{"nvlink", "--toolkit=" + release.Version, option}, &stdout, &stderr); exit != 0 || stderr.Len() > 0 {
				t.Fatalf("%s %s: exit %d, %s", release.Version, option, exit, &stderr)
			}
			return stdout.String()
		}
		want := release.Version
		major, _, _ := strings.Cut(want, ".")
		text := printed("--version")
		if m := regexp.MustCompile(`\bV(\d+\.\d+\.\d+)\b`).FindStringSubmatch(text); m == nil || m[1] != want {
			t.Errorf("CMake, XLA: %q in\n%s", m, text)
		}
		if v := text[strings.LastIndexByte(text, 'V')+1:]; !strings.HasPrefix(v, want+"\n") {
			t.Errorf("Meson: %q", v)
		}
		line := regexp.MustCompile(`(?m)^Cuda compilation tools, release ` + major + `\.\d+, V` + regexp.QuoteMeta(want) + `$`)
		if !line.MatchString(text) || !strings.HasPrefix(text, "nvlink: culink ") || !strings.Contains(text, "in the place of nvlink "+want+"\n") {
			t.Errorf("the version is\n%s", text)
		}
		if help := printed("--help"); !strings.HasPrefix(help, "culink ") || !strings.Contains(help, want+"\n\nUsage: nvlink ") {
			t.Errorf("the help begins\n%.300s", help)
		}
	}
}
