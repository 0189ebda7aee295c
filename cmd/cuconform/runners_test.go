package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/culink/culink/conformance"
)

// docs/corpus.md contains the text of the shell runner.
func TestPageShowsTheRunner(t *testing.T) {
	page, err := os.ReadFile("../../docs/corpus.md")
	if err != nil {
		t.Fatal(err)
	}
	runner, err := os.ReadFile("../../corpus/runners/check.sh")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(page), "```sh\n"+string(runner)+"```\n") {
		t.Error("docs/corpus.md has another runner than corpus/runners/check.sh")
	}
}

// The runners in corpus/runners are examples in docs/corpus.md and do not depend on cuconform. They have the same result
// as cuconform: they print nothing for a correct linker, and name the differences of a wrong one.
func TestRunnersOfTheContract(t *testing.T) {
	runners, err := filepath.Abs("../../corpus/runners")
	if err != nil {
		t.Fatal(err)
	}
	corpus := t.TempDir()
	for _, id := range []string{"basic/two-files", "messages/undefined", "basic/chain-of-five"} {
		if err := os.CopyFS(filepath.Join(corpus, id), os.DirFS("../../corpus/"+id)); err != nil {
			t.Fatal(err)
		}
	}
	reference, err := conformance.BuildReference(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	compiled := filepath.Join(t.TempDir(), "check")
	steps, err := filepath.Glob(corpus + "/*/*/sm_*.steps")
	if err != nil || len(steps) == 0 {
		t.Fatal("no steps", err)
	}
	for _, runner := range []struct {
		needs, build []string   // programs that must exist, and the command that compiles the runner
		runs         [][]string // without the linker
	}{
		{needs: []string{"sh", "tar"}, runs: [][]string{{"sh", runners + "/check.sh", corpus}}},
		{needs: []string{"python3"}, runs: [][]string{{"python3", runners + "/check.py", corpus}}},
		{needs: []string{"cc", "sh", "tar"}, build: []string{"cc", "-o", compiled, runners + "/check.c"}, runs: each(compiled, steps)},
	} {
		t.Run(runner.needs[0], func(t *testing.T) {
			for _, program := range runner.needs {
				if _, err := exec.LookPath(program); err != nil {
					t.Skip("the runner needs a program that is not here:", err)
				}
			}
			if runner.build != nil {
				if out, err := exec.Command(runner.build[0], runner.build[1:]...).CombinedOutput(); err != nil {
					t.Fatalf("%v\n%s", err, out)
				}
			}
			check := func(linker string) string {
				var said strings.Builder
				for _, run := range runner.runs {
					out, err := exec.Command(run[0], append(slices.Clone(run[1:]), linker)...).CombinedOutput()
					if err != nil {
						t.Fatalf("%v\n%s", err, out)
					}
					said.Write(out)
				}
				return said.String()
			}
			if out := check(reference.Command[0]); out != "" {
				t.Errorf("about culink it says\n%s", out)
			}
			nothing, err := exec.LookPath("true")
			if err != nil {
				t.Skip("no program that does nothing:", err)
			}
			out := check(nothing)
			for _, want := range []string{"basic/two-files/sm_80.steps step 1: ./out.cubin", "messages/undefined/sm_90.steps step 1: 0", "chain-of-five/sm_80.steps step 2: ./out2.cubin"} {
				if !strings.Contains(out, want) {
					t.Errorf("about a linker that does nothing it does not say %q:\n%s", want, out)
				}
			}
		})
	}
}

// each returns a command line for each file.
func each(program string, files []string) [][]string {
	var lines [][]string
	for _, file := range files {
		lines = append(lines, []string{program, file})
	}
	return lines
}
