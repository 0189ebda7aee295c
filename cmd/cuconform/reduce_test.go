package main

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/culink/culink/conformance/commandline"
)

// A linker that writes nothing fails on every link. Such a link is reduced to a command line and a nearly empty file. It
// becomes a case that fails again.
func TestReduce(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the linker under test is a shell script")
	}
	dir := t.TempDir()
	lazy := filepath.Join(dir, "lazy")
	if err := os.WriteFile(lazy, []byte("#!/bin/sh\nexit 0\n"), 0o777); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(dir, "out")
	status, text := runCommand(t, "reduce", "-linker", lazy, "-oracle=", "-facet", "file", "-o", out, "-name", "one", "basic/three-kernels/sm_80")
	if status != commandline.Differs || !strings.Contains(text, "file out.cubin: want written, got not written") {
		t.Fatalf("status %d, output %s", status, text)
	}
	written, err := os.ReadFile(filepath.Join(out, "reduced/one/case.txt"))
	if err != nil {
		t.Fatal(err)
	}
	step := "step    nvlink -arch=sm_80 three.cubin -o out.cubin\n"
	if !strings.HasSuffix(string(written), step) {
		t.Errorf("case.txt is\n%swant the last line %s", written, step)
	}
	status, text = runCommand(t, "run", "-corpus", out, "-linker", lazy, "-facet", "file")
	if status != commandline.Differs || !strings.Contains(text, "reduced/one sm_80") {
		t.Errorf("run of the reduced case: status %d, output %s", status, text)
	}
}

// The user can name a link as in the output of a run, by a case and its target, or by flags.
func TestLinkWords(t *testing.T) {
	for line, want := range map[string]string{
		"basic/two-files":                                         "basic/two-files,,",
		"basic/two-files/sm_80":                                   "basic/two-files,80,",
		"basic/two-files sm_90a":                                  "basic/two-files,90a,",
		"basic/two-files sm_80 step 2":                            "basic/two-files,80,2",
		"basic/two-files sm_80 step 2 bytes":                      "basic/two-files,80,2",
		"FAIL basic/two-files sm_80 step 1: image a: want b, c d": "basic/two-files,80,1",
		"a.cubin b.cubin":                                         "",
		"no/such/case":                                            "",
	} {
		got := ""
		if words := linkWords().FindStringSubmatch(line); words != nil {
			got = strings.Join(words[1:], ",")
		}
		if got != want {
			t.Errorf("%s: got %q, want %q", line, got, want)
		}
	}
}

func TestReduceRefuses(t *testing.T) {
	for args, want := range map[string]string{
		"reduce":                           "usage: cuconform reduce",
		"reduce no/such/case":              `no file and no case "no/such/case"`,
		"reduce main.go":                   "wants -arch",
		"reduce -step 7 basic/one-kernel":  "steps 1 to 1",
		"reduce -facet x basic/one-kernel": `unknown facet "x"`,
		"reduce -sm 61 basic/one-kernel":   "has no target sm_61, but sm_75",
		"reduce basic/one-kernel sm_61":    "has no target sm_61, but sm_75",
	} {
		if status, out := runCommand(t, strings.Fields(args)...); status != commandline.Misuse || !strings.Contains(out, want) {
			t.Errorf("%s: status %d, output %q, want %q", args, status, out, want)
		}
	}
}
