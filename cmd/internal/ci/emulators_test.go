package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Every line of emulators.tsv names a test that exists, once, and says why it cannot pass. The lines are sorted.
func TestAbsentTests(t *testing.T) {
	t.Parallel()
	lines := slices.Collect(strings.Lines(absentTests))
	if !slices.IsSorted(lines) {
		t.Error("not sorted")
	}
	named := make(map[string]bool)
	for _, line := range lines {
		row := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(row) != 4 || row[0] != wine.name && row[0] != qemu.name || len(row[3]) < 10 {
			t.Errorf("%q: want emulator, package, test, and reason", line)
			continue
		}
		if name := strings.Join(row[:3], " "); named[name] {
			t.Errorf("%s: named twice", name)
		} else {
			named[name] = true
		}
		test, subtests, _ := strings.Cut(row[2], "/")
		if _, err := regexp.Compile(subtests); err != nil {
			t.Error(err)
		}
		if files, want := testsOf(t, row[1]), "\nfunc "+test+"("; files == "" || test != "*" && !strings.Contains(files, want) {
			t.Errorf("%q: no such test", line)
		}
	}
}

// testsOf returns the test files of a package.
func testsOf(t *testing.T, folder string) (text string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("../../..", filepath.FromSlash(folder), "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		text += "\n" + string(data)
	}
	return text
}

// The emulators need a changed file of Go's library. The change fits the Go that is installed.
func TestOverlay(t *testing.T) {
	t.Parallel()
	for _, e := range []emulator{wine, qemu} {
		folder := t.TempDir()
		r := &runner{ctx: t.Context(), stderr: os.Stderr}
		if _, err := e.overlay(r, folder, "/emulator/run"); err != nil {
			t.Errorf("%s: %v", e.name, err)
		}
	}
}

// A pattern skips a whole test, or the subtests that are not in the sample.
func TestAbsent(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		emulator, folder string
		pattern          string // among those returned; empty: there are none
		whole            bool
	}{
		{"none", "linker", "", false},
		{"qemu", "conformance/sandbox", "^*$", true},
		{"wine", "testscripts", "^TestScripts$", false},
		{"qemu", "cmd/culink/command", `^TestToolkits$/^(11\.8|12\.[45]|13\.[0-4])`, false},
	} {
		patterns, whole := absent(tt.emulator, tt.folder)
		if (patterns == nil) != (tt.pattern == "") || tt.pattern != "" && !slices.Contains(patterns, tt.pattern) || whole != tt.whole {
			t.Errorf("%s, %s: %q, %v", tt.emulator, tt.folder, patterns, whole)
		}
	}
}
