package command

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/culink/culink/linker/cubin"
)

// nvlink.exe writes an executable for -r (E-390). It prints messages on stdout, or on stderr with --json (WIN-030).
func TestWindowsRelocatable(t *testing.T) {
	k, err := os.ReadFile(filepath.FromSlash("../../../linker/input/testdata/k.90.cubin"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	in, out := filepath.Join(dir, "k.cubin"), filepath.Join(dir, "out.cubin")
	if err := os.WriteFile(in, k, 0o600); err != nil {
		t.Fatal(err)
	}
	run := func(args ...string) (status int, stdout, stderr string) {
		var o, e bytes.Buffer
		status = new(command).run(t.Context(), append([]string{"nvlink", "--platform=windows", "-arch=sm_90"}, args...), &o, &e)
		return status, o.String(), e.String()
	}
	status, stdout, stderr := run("-r", in, "-o", out)
	data, err := os.ReadFile(out)
	if status != 0 || err != nil || stdout+stderr != "" {
		t.Fatalf("-r: %d, %v, %q, %q", status, err, stdout, stderr)
	}
	if f, err := cubin.Open("out.cubin", data); err != nil || f.Type != cubin.TypeRelocatable {
		t.Errorf("-r: type %v, %v", f.Type, err)
	}
	const message = "nvlink fatal   : Could not open input file 'none.obj'\r\n"
	if status, stdout, stderr := run("none.obj", "-o", out); status != 1 || stdout != message || stderr != "" {
		t.Errorf("an error: %d, %q, %q", status, stdout, stderr)
	}
	if _, stdout, stderr := run("none.obj", "-o", out, "--json"); !strings.HasPrefix(stdout, "{") || stderr != message {
		t.Errorf("with --json: %q, %q", stdout, stderr)
	}
}

// A kernel without barriers has none with -v, where nvlink.exe from 13.3 on prints an arbitrary number (E-990).
func TestWindowsBarriers(t *testing.T) {
	in := filepath.FromSlash("../../../linker/input/testdata/w.90.cubin")
	var stdout, stderr bytes.Buffer
	args := []string{"nvlink", "--platform=windows", "--toolkit=13.5.37", "-arch=sm_90", "-v", in, "-o", filepath.Join(t.TempDir(), "out.cubin")}
	status := new(command).run(t.Context(), args, &stdout, &stderr)
	if status != 0 || !strings.Contains(stdout.String(), "used 0 barriers,") || stderr.Len() != 0 {
		t.Errorf("%d, %q, %q", status, &stdout, &stderr)
	}
}
