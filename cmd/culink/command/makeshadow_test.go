package command

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/culink/culink/cmd/culink/shadow"
	"github.com/culink/culink/linker/arch"
)

// fakeToolkit returns a folder with the files that identify a toolkit.
func fakeToolkit(t *testing.T) string {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("links to files need a privilege")
	}
	dir := t.TempDir()
	for _, name := range []string{"bin/nvcc", "bin/nvlink", "bin/ptxas", "bin/crt/link.stub", "include/cuda.h", "lib/libcudart_static.a", "version.json"} {
		write(t, filepath.Join(dir, filepath.FromSlash(name)), []byte(name))
	}
	printsVersion(t, dir, "release 13.5, V13.5.38")
	return dir
}

// printsVersion makes the nvlink of a toolkit print a line with its release.
func printsVersion(t *testing.T, toolkit, line string) {
	t.Helper()
	nvlink := filepath.Join(toolkit, "bin", "nvlink")
	write(t, nvlink, []byte("#!/bin/sh\necho 'Cuda compilation tools, "+line+"'\n"))
	if err := os.Chmod(nvlink, 0o755); err != nil {
		t.Fatal(err)
	}
}

// --make-shadow makes a folder with links to everything in a toolkit except nvlink. Its nvlink is this program. The
// toolkit and existing files are not changed (OPT-505).
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
	if got, err := os.Stat(filepath.Join(dir, "bin", "nvlink")); err != nil || !got.Mode().IsRegular() || got.Mode().Perm()&0o111 == 0 || got.Size() != want.Size() {
		t.Errorf("nvlink: %v, %v", got, err)
	}
	if data, err := os.ReadFile(filepath.Join(toolkit, "bin", "nvlink")); err != nil || !strings.HasPrefix(string(data), "#!") {
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

// Python wheels install the optimiser in lib. In the shadow it is in nvvm/lib64, where nvcc tells nvlink to look for it
// (OPT-505).
func TestOptimiserOfShadow(t *testing.T) {
	for name, files := range map[string][]string{
		"wheels": {"lib/libnvvm.so.4", "nvvm/bin/cicc"}, "installed": {"nvvm/lib64/libnvvm.so", "nvvm/bin/cicc", "lib/libnvvm.so.4"}, "none": {"nvvm/bin/cicc"},
	} {
		toolkit, dir := fakeToolkit(t), filepath.Join(t.TempDir(), "shadow")
		for _, file := range files {
			write(t, filepath.Join(toolkit, filepath.FromSlash(file)), []byte(file))
		}
		var stderr bytes.Buffer
		if exit := run(t.Context(), []string{"culink", "--make-shadow", dir, "--cuda-path", toolkit}, io.Discard, &stderr); exit != 0 {
			t.Fatalf("%s: exit %d, %s", name, exit, &stderr)
		}
		got, err := os.ReadFile(filepath.Join(dir, "nvvm", "lib64", "libnvvm.so"))
		if want := strings.TrimPrefix(files[0], "nvvm/bin/cicc"); string(got) != want || (err == nil) != (want != "") {
			t.Errorf("%s: the optimiser is %q, %v", name, got, err)
		}
		if got, err := os.ReadFile(filepath.Join(dir, "nvvm", "bin", "cicc")); err != nil || string(got) != "nvvm/bin/cicc" {
			t.Errorf("%s: cicc: %q, %v", name, got, err)
		}
	}
}

// In a shadow, culink emulates nvlink of the toolkit's release. If culink does not know the release, it emulates a known
// one with the same minor version. --toolkit and the environment can select another release (OPT-505, KIT-002). The
// helper of -lto is copied too.
func TestReleaseOfShadow(t *testing.T) {
	toolkit := fakeToolkit(t)
	program := filepath.Join(t.TempDir(), "culink")
	if out, err := exec.Command("go", "build", "-o", program, "../../culink").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	write(t, filepath.Join(filepath.Dir(program), "culink-lto"), []byte("the helper"))
	shadowOf := func(args ...string) (nvlink, errs string) {
		t.Helper()
		dir := filepath.Join(t.TempDir(), "shadow")
		var stderr strings.Builder
		cmd := exec.Command(program, append([]string{"--make-shadow", dir, "--cuda-path", toolkit}, args...)...)
		cmd.Stderr = &stderr
		cmd.Run()
		return filepath.Join(dir, "bin", "nvlink"), stderr.String()
	}
	version := func(nvlink string, environment ...string) string {
		t.Helper()
		cmd := exec.Command(nvlink, "--version")
		cmd.Env = append(os.Environ(), environment...)
		out, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		return string(out)
	}
	for _, c := range []struct {
		line, args, environment, want string
	}{
		{line: "release 13.5, V13.5.38", want: "nvlink 13.5.37\n"}, // an update of a known release
		{line: "release 12.4, V12.4.131", want: "nvlink 12.4.131\n"},
		{line: "release 12.4, V12.4.131", args: "--toolkit=auto", want: "nvlink 12.4.131\n"},
		{line: "release 12.4, V12.4.131", environment: "CULINK_TOOLKIT=13.1", want: "nvlink 13.1.115\n"},
		{line: "release 12.7, V12.7.33", args: "--toolkit=12.8", want: "nvlink 12.8.93\n"},
	} {
		printsVersion(t, toolkit, c.line)
		nvlink, errs := shadowOf(strings.Fields(c.args)...)
		if errs != "" {
			t.Fatalf("%+v: %s", c, errs)
		}
		if data, err := os.ReadFile(filepath.Join(filepath.Dir(nvlink), "culink-lto")); err != nil || string(data) != "the helper" {
			t.Errorf("the helper of -lto: %q, %v", data, err)
		}
		if got := version(nvlink, strings.Fields(c.environment)...); !strings.HasPrefix(got, "nvlink: culink ") || !strings.Contains(got, c.want) {
			t.Errorf("%+v: %s", c, got)
		}
	}
	for line, want := range map[string]string{
		"release 12.7, V12.7.33": `toolkit "12.7" is not one of `,
		"nothing":                `toolkit "" is not one of `,
	} {
		printsVersion(t, toolkit, line)
		if _, errs := shadowOf(); !strings.Contains(errs, want) || !strings.Contains(errs, "with --toolkit") {
			t.Errorf("%s: %s", line, errs)
		}
	}
}

// A shadow made with --advice collects the answers of its nvlink in a separate file (DIAG-505).
func TestShadowGathersAdvice(t *testing.T) {
	toolkit, dir := fakeToolkit(t), filepath.Join(t.TempDir(), "shadow")
	var stdout, stderr strings.Builder
	if exit := run(t.Context(), []string{"culink", "--make-shadow", dir, "--cuda-path", toolkit, "--advice"}, &stdout, &stderr); exit != 0 || !strings.Contains(stdout.String(), "culink --show-advice "+shadow.AdviceIn(dir)) {
		t.Fatalf("exit %d, %s%s", exit, &stdout, &stderr)
	}
	if data, err := os.ReadFile(shadow.AdviceIn(dir)); err != nil || len(data) > 0 {
		t.Errorf("the file: %q, %v", data, err)
	}
	program, err := os.Readlink(filepath.Join(dir, "bin", "nvlink"))
	if err != nil {
		t.Fatal(err)
	}
	program = filepath.Join(dir, "bin", program)
	if got := shadow.AdviceFile(program); got != shadow.AdviceIn(dir) || shadow.Release(program) != "13.5.37" {
		t.Errorf("%s gathers in %q, release %q", program, got, shadow.Release(program))
	}
	if got := shadow.AdviceFile(filepath.Join(dir, "bin", "culink-as-13.5.37")); got != "" {
		t.Errorf("a shadow without answers gathers in %s", got)
	}
}

// Build tools can parse the version (OPT-028): CMake and XLA use the first V with three numbers, and Meson uses the text
// after the last V. This holds for each release that --toolkit accepts.
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
