package main

import (
	"debug/elf"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/culink/culink/conformance/commandline"

	"github.com/culink/culink/conformance"
)

// The commands of docs/implementers.md have the results that the page describes for an unfinished linker. The linker is
// culink without archives. The commands run on two areas and one target. They run in a folder with the binary that the
// first command builds, and without any file of the repository.
func TestImplementersCommands(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the commands need a Unix shell")
	}
	lines := shellLines(t, "../../docs/implementers.md")
	want := []string{
		"CGO_ENABLED=0 go build ./cmd/cuconform",
		`./cuconform run -linker "/path/to/your-linker --as-nvlink" -run basic -sm 80`,
		`./cuconform run -linker "/path/to/your-linker --as-nvlink"`,
		"./cuconform run -linker ./your-linker -script > conformance.sh",
		"CUCONFORM=./cuconform sh conformance.sh",
		"./cuconform merge -junit all.xml shard-1.json shard-2.json shard-3.json shard-4.json",
	}
	if !slices.Equal(lines, want) {
		t.Fatalf("the page has the commands %q, tested are %q", lines, want)
	}

	dir := t.TempDir()
	reference, err := conformance.BuildReference(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	linker := func(refuses string) {
		text := "#!/bin/sh\n[ \"$1\" != --as-nvlink ] || shift\ncase $* in " + refuses + ") exit 3;; esac\nexec " + reference.Command[0] + " \"$@\"\n"
		if err := os.WriteFile(filepath.Join(dir, "your-linker"), []byte(text), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	build := exec.Command("sh", "-c", want[0]+" && mv cuconform "+dir)
	build.Dir = "../.."
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if runtime.GOOS == "linux" {
		if err := checkStatic(filepath.Join(dir, "cuconform")); err != nil {
			t.Error(err)
		}
	}
	sh := func(command string) (int, string) {
		cmd := exec.Command("sh", "-c", command)
		cmd.Dir, cmd.Env = dir, []string{"PATH=/bin:/usr/bin"}
		out, err := cmd.CombinedOutput()
		var exit *exec.ExitError
		if err != nil && !errors.As(err, &exit) {
			t.Fatal(err)
		}
		return cmd.ProcessState.ExitCode(), string(out)
	}
	linker("none")
	testWithoutCheckout(t, sh)
	here := strings.NewReplacer("/path/to", ".", "cuconform run", "cuconform run -run 'basic/d*' -run 'archive/l*' -sm 80").Replace

	linker("*.a*|*-l*")
	if status, out := sh(strings.ReplaceAll(want[1], "/path/to", ".")); status != commandline.OK || !strings.Contains(out, "\nbasic ") {
		t.Errorf("%s: status %d\n%s", want[1], status, out)
	}
	if status, out := sh(here(want[2])); status != commandline.Differs || !strings.Contains(out, "FAIL archive/") || strings.Contains(out, "FAIL basic/") {
		t.Errorf("%s: status %d\n%s", want[2], status, out)
	}
	if status, out := sh(here(want[3])); status != commandline.OK {
		t.Fatalf("%s: status %d\n%s", want[3], status, out)
	}
	if status, out := sh(want[4]); status != commandline.OK || !strings.Contains(out, "skipped") {
		t.Errorf("%s: status %d\n%s", want[4], status, out)
	}
	linker("*callee.cubin*")
	if status, out := sh(want[4]); status != commandline.Differs || !strings.Contains(out, "STALE -skip 'archive/") || !strings.Contains(out, "FAIL basic/debug-information ") {
		t.Errorf("%s, after one thing was mended and another broken: status %d\n%s", want[4], status, out)
	}
	checkSample(t, sh)
	for _, i := range []string{"1", "2", "3", "4"} {
		if status, out := sh(here("./cuconform run -linker ./your-linker -shard " + i + "/4 -json shard-" + i + ".json")); status > commandline.Differs {
			t.Fatalf("shard %s: status %d\n%s", i, status, out)
		}
	}
	if status, out := sh(want[5]); status != commandline.Differs || !strings.Contains(out, "\narchive ") || !strings.Contains(out, "\nbasic ") {
		t.Errorf("%s: status %d\n%s", want[5], status, out)
	}
}

// checkSample checks that a run prints the sample of the page, apart from the parts that vary (CONF-002).
func checkSample(t *testing.T, sh func(command string) (int, string)) {
	t.Helper()
	_, out := sh("./cuconform run -linker ./your-linker -run basic -sm 80")
	var sample strings.Builder
	for line := range strings.Lines(out) {
		if first, _, _ := strings.Cut(line, " "); !slices.Contains([]string{"FAIL", "and", "confinement:", "time:"}, first) && !strings.Contains(line, "links: basic:") || strings.HasPrefix(line, "FAIL: ") {
			sample.WriteString(strings.TrimRight("    "+line, " \n") + "\n")
		}
	}
	// The run suggests another command than the one that was just run (CONF-013).
	if _, out := sh("./cuconform run -linker ./your-linker -run basic/debug-information -sm 80 -v"); !strings.Contains(out, "\nnext: cuconform reduce -linker ./your-linker basic/debug-information -sm 80 ") {
		t.Errorf("after -v:\n%s", out)
	}
	page, err := os.ReadFile("../../docs/implementers.md")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(page), "\n\n"+sample.String()+"\n") {
		t.Errorf("the page lacks what a run prints:\n%s", &sample)
	}
}

// testWithoutCheckout checks that cuconform links with its built-in culink if there is no linker, Go tool or checkout
// (CONF-004).
func testWithoutCheckout(t *testing.T, sh func(command string) (int, string)) {
	t.Helper()
	for _, command := range []string{
		"./cuconform run -run basic -sm 80 -waivers culink",
		"./cuconform list -run basic/one-kernel",
		"./cuconform rules MERGE-001",
		"./cuconform rules",
		"./cuconform reduce basic/one-kernel/sm_80 -reference ./your-linker -facet exit",
	} {
		if status, out := sh(command); status != commandline.OK {
			t.Errorf("%s: status %d\n%s", command, status, out)
		}
	}
}

// checkStatic returns an error if a program needs a dynamic loader, and therefore shared libraries.
func checkStatic(program string) error {
	f, err := elf.Open(program)
	if err != nil {
		return err
	}
	defer f.Close()
	for _, p := range f.Progs {
		if p.Type == elf.PT_INTERP {
			return fmt.Errorf("%s is not static", program)
		}
	}
	return nil
}
