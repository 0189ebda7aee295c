package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/culink/culink/conformance/commandline"

	"github.com/culink/culink/corpus"
)

// shellLines returns the commands in the sh blocks of a page.
func shellLines(t *testing.T, page string) []string {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, block := range regexp.MustCompile("(?s)```sh\n(.*?)```").FindAllSubmatch(text, -1) {
		for line := range strings.Lines(string(block[1])) {
			line, _, _ = strings.Cut(line, "#")
			if line = strings.TrimSpace(line); line != "" {
				lines = append(lines, line)
			}
		}
	}
	return lines
}

// This test or .ci/run runs every command of the README.
func TestReadmeCommands(t *testing.T) {
	want := []string{
		"go run ./cmd/cuconform run -waivers culink",
		"go test ./...",
		"go run ./cmd/culink -arch=sm_90 a.cubin b.cubin -o out.cubin",
		"go run ./cmd/cuconform run -linker /path/to/linker -sm 80,90",
	}
	if got := shellLines(t, "../../README.md"); !slices.Equal(got, want) {
		t.Fatalf("README has the commands %q, tested are %q", got, want)
	}
	ci, err := os.ReadFile("../internal/ci/steps.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range want[:2] {
		if !bytes.Contains(ci, []byte(line)) {
			t.Errorf(".ci/run does not run %q", line)
		}
	}
	if testing.Short() {
		t.Skip("-short: the other commands are not run")
	}

	// The test runs only one area. .ci/run and TestReferencePassesTheCorpus of package conformance run the whole corpus.
	status, out := runCommand(t, append(strings.Fields(want[0])[3:], "-run", "basic/*")...)
	if status != commandline.OK || !strings.Contains(out, "area ") || !strings.Contains(out, "all ") {
		t.Errorf("%s: status %d\n%s", want[0], status, out)
	}

	dir := t.TempDir()
	for input, name := range map[string]string{"caller.cubin": "a.cubin", "callee.cubin": "b.cubin"} {
		data, err := corpus.Files.ReadFile("basic/two-files/sm_90/in/" + input)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	program := filepath.Join(dir, "nvlink")
	if runtime.GOOS == "windows" {
		program += ".exe"
	}
	if out, err := exec.Command("go", "build", "-o", program, "../culink").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	link := exec.Command(program, strings.Fields(want[2])[3:]...)
	link.Dir = dir
	if out, err := link.CombinedOutput(); err != nil || len(out) > 0 {
		t.Fatalf("%s: %v\n%s", want[2], err, out)
	}
	got, err := os.ReadFile(filepath.Join(dir, "out.cubin"))
	if err != nil {
		t.Fatal(err)
	}
	if recorded, err := corpus.Files.ReadFile("basic/two-files/sm_90/1.out/out.cubin"); err != nil || !bytes.Equal(got, recorded) {
		t.Errorf("%s: not the recorded output (%v)", want[2], err)
	}

	args := strings.Fields(strings.Replace(want[3], "/path/to/linker", program, 1))[3:]
	if status, out := runCommand(t, append(args, "-run", "basic/two-files")...); status != commandline.OK {
		t.Errorf("%s: status %d\n%s", want[3], status, out)
	}
}
