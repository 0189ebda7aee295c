package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestParseTurn(t *testing.T) {
	const printed = `fuzz: elapsed: 0s, gathering baseline coverage: 192/192 completed, now fuzzing with 2 workers
fuzz: elapsed: 3s, execs: 325017 (108336/sec), new interesting: 11 (total: 202)
fuzz: elapsed: 4s, execs: 400000 (80000/sec), new interesting: 12 (total: 203)
--- FAIL: FuzzText (4.1s)
    Failing input written to testdata/fuzz/FuzzText/582528ddfad69eb5
`
	want := turn{Execs: 400000, New: 12, Total: 203, Finding: "testdata/fuzz/FuzzText/582528ddfad69eb5"}
	if d := cmp.Diff(want, parseTurn(printed)); d != "" {
		t.Error(d)
	}
	if got := parseTurn("FAIL\n"); got != (turn{}) {
		t.Errorf("nothing happened, but %v", got)
	}
}

// If the time of a target is up, this is not a finding. If a target hangs, it is one.
func TestTimeIsUp(t *testing.T) {
	for printed, want := range map[string]bool{
		"fuzz: elapsed: 3s, execs: 46030 (0/sec)\n--- FAIL: FuzzNotes (3.08s)\n    context deadline exceeded\nFAIL\n": true,
		"--- FAIL: FuzzNotes (0.08s)\n    link_test.go:3: context deadline exceeded\nFAIL\n":                          false,
		"--- FAIL: FuzzNotes (0.08s)\n    context deadline exceeded\n    and more\nFAIL\n":                            false,
	} {
		if got := timeIsUp.MatchString(printed); got != want {
			t.Errorf("%v, want %v: %q", got, want, printed)
		}
	}
}

// A log can be read again. The summary adds up several campaigns.
func TestLog(t *testing.T) {
	name := filepath.Join(t.TempDir(), "new", "campaign.tsv")
	turns := []turn{
		{Target: "fuzz.FuzzB", Wall: time.Second, CPU: 36 * time.Minute, Execs: 10, New: 2, Total: 5},
		{Target: "fuzz.FuzzA", Wall: time.Second, CPU: time.Second, Execs: 1, Total: 1, Finding: "testdata/x"},
		{Target: "fuzz.FuzzB", Wall: time.Second, CPU: 36 * time.Minute, Execs: 30, New: 1, Total: 6},
	}
	for _, turn := range turns {
		l, err := openLog(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := l.add(turn); err != nil {
			t.Fatal(err)
		}
		l.Close()
	}
	again, err := readLog(name)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(turns, again); d != "" {
		t.Error(d)
	}
	targets := []target{{name: "FuzzB", pkg: "m/fuzz"}, {name: "FuzzA", pkg: "m/fuzz"}, {name: "FuzzC", pkg: "m/fuzz"}}
	leastFirst(targets, again)
	if got := fmt.Sprint(targets[0].name, targets[1].name, targets[2].name); got != "FuzzCFuzzAFuzzB" {
		t.Errorf("continues with %s", got)
	}
	var rows []string
	for l := range strings.Lines(summary(again)) {
		rows = append(rows, strings.Join(strings.Fields(l), " "))
	}
	want := []string{
		"target executions core-minutes new inputs kept inputs findings",
		"fuzz.FuzzA 1 0.0 0 1 1",
		"fuzz.FuzzB 40 72.0 3 6 0",
		"all 41 72.0 3 7 1",
	}
	if d := cmp.Diff(want, rows); d != "" {
		t.Error(d)
	}
}

// If a turn is interrupted, its time so far counts. The interruption is not a finding.
func TestCutShort(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a script stands in for the target")
	}
	program := filepath.Join(t.TempDir(), "target")
	script := "#!/bin/sh\necho 'fuzz: elapsed: 1s, execs: 7 (7/sec), new interesting: 1 (total: 2)'\n" +
		"trap 'echo FAIL; exit 1' INT\ntouch started\nwhile :; do sleep 0.01; done\n"
	if err := os.WriteFile(program, []byte(script), 0o777); err != nil {
		t.Fatal(err)
	}
	c := campaign{corpus: t.TempDir(), slice: time.Hour}
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		defer cancel()
		for {
			if _, err := os.Stat(filepath.Join(dir, "started")); err == nil || ctx.Err() != nil {
				return
			}
			time.Sleep(time.Millisecond)
		}
	}()
	got, err := c.turn(ctx, target{name: "FuzzA", pkg: "m/fuzz", dir: dir, program: program})
	want := turn{Target: "fuzz.FuzzA", Wall: got.Wall, CPU: got.CPU, Execs: 7, New: 1, Total: 2}
	if err != nil || got != want {
		t.Errorf("%v, %v, want %v", got, err, want)
	}
}

// The campaign finds the targets of this module.
func TestFindTargets(t *testing.T) {
	t.Chdir("..")
	targets, err := findTargets(t.Context(), regexp.MustCompile("Link$|Text$"))
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	for _, target := range targets {
		found[target.String()] = true
	}
	for _, name := range []string{"fuzz.FuzzLink", "fuzz.FuzzDamagedLink", "fuzz.FuzzText"} {
		if !found[name] {
			t.Errorf("no %s in %v", name, found)
		}
	}
	if found["fuzz.FuzzELF"] {
		t.Error("FuzzELF does not match")
	}
}
