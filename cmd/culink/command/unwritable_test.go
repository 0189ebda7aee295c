package command

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// culink reports a full device. nvlink prints nothing and succeeds (OPT-057).
func TestOutputThatCannotBeWritten(t *testing.T) {
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("the system has no device that is always full")
	}
	k1 := testCubin(t, "k1.cubin")
	t.Chdir(t.TempDir())
	write(t, "k1.cubin", k1)
	var stdout, stderr bytes.Buffer
	exit := run(t.Context(), []string{"nvlink", "-arch=sm_90", "k1.cubin", "-o", "/dev/full"}, &stdout, &stderr)
	if want := "nvlink fatal   : Could not write file '/dev/full'\n"; exit != 1 || stderr.String() != want {
		t.Errorf("exit status %d, stderr %q; want 1, %q", exit, stderr.String(), want)
	}
	stderr.Reset()
	exit = run(t.Context(), []string{"nvlink", "-arch=sm_90", "k1.cubin", "-o", "out", "-time", "/dev/full"}, &stdout, &stderr)
	if want := "nvlink fatal   : Could not write file '/dev/full'\n"; exit != 1 || stderr.String() != want {
		t.Errorf("-time: exit status %d, stderr %q; want 1, %q", exit, stderr.String(), want)
	}
}

// An older registration file is read before it is replaced (OPT-960).
func TestRegisterFileThatCannotBeRead(t *testing.T) {
	k1 := testCubin(t, "k1.cubin")
	t.Chdir(t.TempDir())
	write(t, "k1.cubin", k1)
	write(t, "reg.c", []byte("older"))
	if err := os.Chmod("reg.c", 0o200); err != nil {
		t.Fatal(err)
	}
	if _, err := os.ReadFile("reg.c"); err == nil {
		t.Skip("every file can be read, as by the administrator or on Windows")
	}
	for _, c := range []struct {
		runtime string // a copy of k1, whose name decides whether it is linked
		exit    int
		stderr  string
	}{
		{"other.cubin", 1, "nvlink fatal   : Could not open input file 'reg.c'\n"},
		{"cudadevrt.cubin", 0, ""},
	} {
		write(t, c.runtime, k1)
		var stdout, stderr bytes.Buffer
		exit := run(t.Context(), []string{"nvlink", "-arch=sm_90", c.runtime, "-o", "out", "--register-link-binaries=reg.c"}, &stdout, &stderr)
		if exit != c.exit || stderr.String() != c.stderr {
			t.Errorf("%s: exit status %d, stderr %q; want %d, %q", c.runtime, exit, stderr.String(), c.exit, c.stderr)
		}
	}
	if err := os.Chmod("reg.c", 0o600); err != nil {
		t.Fatal(err)
	}
	if data, err := os.ReadFile("reg.c"); err != nil || string(data) != "older" {
		t.Errorf("reg.c has %q, %v", data, err)
	}
}

// If the inputs of a link with -lto have no intermediate code, a message names each file, and the link succeeds. With
// -Werror the merge fails (LOAD-042).
func TestLinkTimeOptimizationWithoutCode(t *testing.T) {
	k1, k2 := testCubin(t, "k1.cubin"), testCubin(t, "k2.cubin")
	const infos = "nvlink info    : requested LTO but 'k1.cubin' not built for LTO so doing partial LTO\n" +
		"nvlink info    : requested LTO but 'k2.cubin' not built for LTO so doing partial LTO\n"
	for _, c := range []struct {
		name   string
		extra  []string
		exit   int
		stderr string
		output bool
	}{
		{"plain", nil, 0, infos + "nvlink warning : Ignoring -dlto option because no LTO objects found\n", true},
		{"-Werror", []string{"-Werror"}, 1, infos + "nvlink error   : Ignoring -dlto option because no LTO objects found\nnvlink fatal   : merge_elf failed\n", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			write(t, "k1.cubin", k1)
			write(t, "k2.cubin", k2)
			write(t, filepath.Join("nvvm", "lib64", "libnvvm.so"), nil)
			args := append([]string{"nvlink", "-arch=sm_90", "-lto", "-nvvmpath=nvvm", "k1.cubin", "k2.cubin", "-o", "o.cubin"}, c.extra...)
			var stdout, stderr bytes.Buffer
			if exit := run(t.Context(), args, &stdout, &stderr); exit != c.exit || stderr.String() != c.stderr {
				t.Errorf("exit status %d, stderr %q; want %d, %q", exit, stderr.String(), c.exit, c.stderr)
			}
			if _, err := os.Stat("o.cubin"); (err == nil) != c.output {
				t.Errorf("o.cubin: %v", err)
			}
		})
	}
}
