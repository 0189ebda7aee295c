package main

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// runCommand runs cuconform with arguments and gives its status and output.
func runCommand(t *testing.T, args ...string) (int, string) {
	t.Helper()
	var out bytes.Buffer
	status := dispatch(t.Context(), args, &out, &out)
	return status, out.String()
}

func TestExitStatusAndMessages(t *testing.T) {
	for _, c := range []struct {
		args   string
		status int
		want   string
	}{
		{"", exitMisuse, "usage: cuconform"},
		{"fly", exitMisuse, `unknown command "fly"`},
		{"run -colour", exitMisuse, "flag provided but not defined: -colour"},
		{"run extra", exitMisuse, `unexpected argument "extra"`},
		{"run -facet taste", exitMisuse, `unknown facet "taste"`},
		{"run -linker /nonexistent", exitMisuse, "/nonexistent"},
		{"run -linker go -run no/such", exitMisuse, "nothing is selected"},
		{"run -linker go -corpus /nonexistent", exitMisuse, "nothing is selected"},
		{"list -run basic/one-kernel -sm 80,sm_90", exitOK, "basic/one-kernel  sm_80 sm_90  "},
		{"diff ../../corpus/basic/two-files/sm_80/1.out/out.cubin ../../corpus/basic/two-files/sm_80/1.out/out.cubin", exitOK, ""},
		{"diff ../../corpus/basic/two-files/sm_80/1.out/out.cubin ../../corpus/basic/two-files/sm_86/1.out/out.cubin", exitDiffers, "header."},
		{"diff one", exitMisuse, "usage"},
		{"hunt -oracle=", exitMisuse, "no oracle"},
		{"record -oracle /nonexistent -run basic/one-kernel/sm_80 -corpus ../../corpus", exitMisuse, "no such file"},
	} {
		t.Run(c.args, func(t *testing.T) {
			status, out := runCommand(t, strings.Fields(c.args)...)
			if status != c.status || !strings.Contains(out, c.want) {
				t.Errorf("status %d, output %q; want %d, %q", status, out, c.status, c.want)
			}
		})
	}
}

// A linker that differs makes run fail, on the facets that it was asked for.
func TestRunFails(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the linker under test is a shell script")
	}
	lazy := filepath.Join(t.TempDir(), "lazy")
	if err := os.WriteFile(lazy, []byte("#!/bin/sh\nexit 0\n"), 0o777); err != nil {
		t.Fatal(err)
	}
	status, out := runCommand(t, "run", "-linker", lazy, "-run", "basic/one-kernel", "-sm", "80")
	for _, want := range []string{
		"FAIL basic/one-kernel sm_80 step 1: file out.cubin: want written, got not written\n",
		"FAIL basic/one-kernel sm_80 step 1: bytes out.cubin: want written, got not written\n",
		"area   cases  exit  messages  file  image  bytes\n",
		"basic  1      1/1   1/1       0/1   0/1    0/1\n",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	if status != exitDiffers {
		t.Errorf("status %d", status)
	}
	waivers := filepath.Join(t.TempDir(), "waivers.txt")
	if err := os.WriteFile(waivers, []byte("basic/* file * lazy\nbasic/* image * lazy\nbasic/* bytes * lazy\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	status, out = runCommand(t, "run", "-linker", lazy, "-waivers", waivers, "-run", "basic/one-kernel", "-sm", "80")
	if status != exitOK || !strings.Contains(out, "1/1 (1 waived)") {
		t.Errorf("waived: status %d\n%s", status, out)
	}
	if status, out := runCommand(t, "run", "-linker", lazy, "-run", "basic/one-kernel", "-facet", "exit,messages"); status != exitOK {
		t.Errorf("exit and messages: status %d\n%s", status, out)
	}
}
