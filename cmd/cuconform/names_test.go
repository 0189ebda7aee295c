package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/culink/culink/conformance/commandline"
)

// The author of a corpus can choose any names and titles for cases. The commands escape them in their output, so they
// cannot add lines or control sequences (DIAG-503).
func TestForgedCorpus(t *testing.T) {
	const forged = "k\n9 recordings, 0 changed\x1b[2J\u202e"
	lazy := lazyLinker(t)
	forger := writeScript(t, "forger", `printf 'n\n9 recordings\033[2J\n' >&2`)
	corpus := filepath.Join(t.TempDir(), "corpus")
	folder := filepath.Join(corpus, "area", forged)
	if err := os.MkdirAll(filepath.Dir(folder), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(folder, os.DirFS("../../corpus/basic/one-kernel")); err != nil {
		t.Fatal(err)
	}
	list := "title A title\x1b]0;that renames the window\a\nrule EMIT-001\ntarget sm_80\nmake k.cubin nvcc k.cu\nstep nvlink -arch=sm_$SM k.cubin -o out.cubin\n"
	if err := os.WriteFile(filepath.Join(folder, "case.txt"), []byte(list), 0o666); err != nil {
		t.Fatal(err)
	}
	// The compiler and the linker do nothing, so a new recording would differ.
	oracle := t.TempDir()
	for _, tool := range []string{"nvcc", "nvlink", "ptxas", "cuobjdump"} {
		if err := os.MkdirAll(filepath.Join(oracle, "bin"), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(oracle, "bin", tool), []byte("#!/bin/sh\ntouch k.cubin\n"), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	broken := filepath.Join(corpus, "area", "broken"+forged)
	if err := os.MkdirAll(broken, 0o777); err != nil {
		t.Fatal(err)
	}
	check := func(what, out string) {
		t.Helper()
		if strings.ContainsAny(out, "\x1b\a\u202e") || strings.Contains(out, "\n9 recordings") {
			t.Errorf("%s prints %q", what, out)
		}
	}
	for _, tt := range []struct {
		args   []string
		status int
		lines  int // number of lines that the command prints
	}{
		{[]string{"list"}, commandline.OK, 1},
		{[]string{"record", "-check", "-oracle", oracle}, commandline.Differs, 0},
		{[]string{"run", "-linker", lazy, "-facet", "file"}, commandline.Differs, 0},
		{[]string{"run", "-linker", lazy, "-facet", "file", "-v"}, commandline.Differs, 0},
		{[]string{"reduce", "-linker", forger, "-facet", "messages", "-time", "1s", "-o", t.TempDir(), "area/" + forged}, commandline.Differs, 0},
		{[]string{"run", "-linker", lazy, "-failed", "no such file"}, commandline.Misuse, 1},
	} {
		args := append([]string{tt.args[0], "-corpus", corpus}, tt.args[1:]...)
		status, out := runCommand(t, args...)
		if status != tt.status {
			t.Errorf("%s: status %d\n%s", tt.args[0], status, out)
		}
		if check(tt.args[0], out); tt.lines != 0 && strings.Count(out, "\n") != tt.lines {
			t.Errorf("%s prints %d lines", tt.args[0], strings.Count(out, "\n"))
		}
	}
	if err := os.WriteFile(filepath.Join(broken, "case.txt"), []byte("no fact\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	status, out := runCommand(t, "list", "-corpus", corpus)
	if check("the error", out); status != commandline.Misuse || !strings.Contains(out, "unknown key") {
		t.Errorf("status %d\n%s", status, out)
	}
}
