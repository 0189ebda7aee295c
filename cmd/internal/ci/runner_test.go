package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
)

// programVariable is the environment variable that makes the test binary act as the command.
const programVariable = "CULINK_CI_TEST"

func TestMain(m *testing.M) {
	if os.Getenv(programVariable) != "" {
		os.Exit(run(os.Args[1:]))
	}
	os.Exit(m.Run())
}

// sh is a step of one command in a shell.
func sh(name, script string) step {
	return step{name: name, minutes: 1, what: "a test", run: func(r *runner) error { return r.do("sh", "-c", script) }}
}

// took matches the time of a step or of the run.
var took = regexp.MustCompile(`\b\d+ s\b`)

func TestRun(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("the steps need a shell")
	}
	live, nightly := sh("live", "echo live"), sh("nightly", "echo by night")
	live.live, nightly.nightly = true, true
	slow := sh("slow", "true")
	slow.minutes = -1
	notes := step{name: "notes", minutes: 1, what: "a test", run: func(r *runner) error {
		return r.noting("sh", "-c", "echo 'NOT RUN: no package'; echo done")
	}}
	steps := []step{sh("first", "echo said"), live, nightly, notes, slow, sh("fails", "exit 3"), sh("last", "echo last")}
	for name, c := range map[string]struct {
		names  []string
		status int
		want   string
	}{
		"order of the table": {[]string{"last", "first", "last"}, 0,
			"== first: a test\nsaid\n== last: a test\nlast\n== ran\n   first: 0 s of 60\n   last: 0 s of 60\n== all passed in 0 s\n"},
		"nightly only by name": {[]string{"nightly"}, 0,
			"== nightly: a test\nby night\n== ran\n   nightly: 0 s of 60\n== all passed in 0 s\n"},
		"notes and budgets": {[]string{"notes", "slow"}, 0,
			"== notes: a test\nNOT RUN: no package\ndone\n== slow: a test\n== ran\n   notes: NOT RUN: no package\n   notes: 0 s of 60\n" +
				"   slow: 0 s of -60, OVER ITS BUDGET\n== all passed in 0 s\n"},
		"no oracle": {[]string{"live"}, 0,
			"== ran\n   live: NOT RUN, because the oracle (nvlink " + recorded + ") could not be installed\n== all passed in 0 s\n"},
		"first failure ends the run": {[]string{"fails", "last"}, 3, "== fails: a test\n== ran\n   nothing\n== FAILED in fails, after 0 s\n"},
		"every step but nightly": {nil, 3,
			"== first: a test\nsaid\n== notes: a test\nNOT RUN: no package\ndone\n== slow: a test\n== fails: a test\n== ran\n   first: 0 s of 60\n" +
				"   live: NOT RUN, because the oracle (nvlink " + recorded + ") could not be installed\n   notes: NOT RUN: no package\n   notes: 0 s of 60\n" +
				"   slow: 0 s of -60, OVER ITS BUDGET\n== FAILED in fails, after 0 s\n"},
	} {
		var out, complaints bytes.Buffer
		r := &runner{ctx: t.Context(), stdout: &out, stderr: &complaints, searched: true}
		status := r.run(steps, c.names)
		got := took.ReplaceAllString(out.String(), "0 s")
		if status != c.status || got != c.want || complaints.Len() > 0 {
			t.Errorf("%s: status %d, want %d, %s\n%s\nwant\n%s", name, status, c.status, &complaints, got, c.want)
		}
	}
}

// The nightly steps that fit alternate from day to day. None starts if less than ten minutes are left.
func TestNightlyStepOfTheDay(t *testing.T) {
	t.Parallel()
	nightly := func(name string, minutes int) step { return step{name: name, minutes: minutes, nightly: true} }
	steps := []step{{name: "always"}, nightly("short", 6), nightly("long", 60), nightly("medium", 10)}
	for _, c := range []struct {
		day  int
		left time.Duration
		want string
	}{
		{0, 20 * time.Minute, "short"}, {1, 20 * time.Minute, "medium"}, {2, 20 * time.Minute, "short"},
		{1, 2 * time.Hour, "long"}, {0, 9 * time.Minute, ""}, {0, 10 * time.Minute, "short"},
	} {
		got := ofDay(steps, c.day, c.left)
		if got == nil != (c.want == "") || got != nil && got.name != c.want {
			t.Errorf("day %d, %v left: %+v, want %q", c.day, c.left, got, c.want)
		}
	}
}

// The nightly workflow runs every nightly step.
func TestNightlyWorkflow(t *testing.T) {
	t.Parallel()
	workflow, err := os.ReadFile(filepath.FromSlash("../../../.github/workflows/nightly.yml"))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, s := range steps {
		if s.nightly {
			names = append(names, s.name)
		}
	}
	if want := "step: [" + strings.Join(names, ", ") + "]\n"; !strings.Contains(string(workflow), want) {
		t.Errorf("no line %q in nightly.yml", want)
	}
}

// The nightly step of the day runs after all others. If it fails, the summary says so, and the run still passes.
func TestFailureOfTheNightlyStep(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("the steps need a shell")
	}
	fails := sh("fails", "exit 3")
	fails.nightly = true
	r := &runner{ctx: t.Context(), stdout: io.Discard, stderr: io.Discard}
	status := r.run([]step{fails, sh("passes", "true")}, nil)
	if status != 0 || len(r.summary) != 2 || r.summary[1] != "fails, the nightly step of the day: FAILED: exit status 3" {
		t.Errorf("status %d, %q", status, r.summary)
	}
}

// The nightly step of the day is stopped when no time is left.
func TestTimeOfTheNightlyStep(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("the steps need a shell")
	}
	r := &runner{ctx: t.Context(), stdout: io.Discard, stderr: io.Discard}
	err := r.runWithin(sh("endless", "sleep 600"), 50*time.Millisecond)
	if err != nil || len(r.summary) != 1 || !strings.Contains(r.summary[0], errNoTimeLeft.Error()) {
		t.Errorf("%v, %q", err, r.summary)
	}
}

// If an error is not the exit status of a command, it is printed, and the status is 1.
func TestErrorOfAStep(t *testing.T) {
	t.Parallel()
	var out, complaints bytes.Buffer
	r := &runner{ctx: t.Context(), stdout: &out, stderr: &complaints}
	s := step{name: "gofmt", run: func(*runner) error { return errors.New("not gofmt-ed:\na.go") }}
	if status := r.run([]step{s}, nil); status != 1 || complaints.String() != "gofmt: not gofmt-ed:\na.go\n" {
		t.Errorf("status %d\n%s", status, &complaints)
	}
}

// Words before the program set its environment. Steps without NVIDIA's tools do not get CULINK_ORACLE.
func TestEnvironmentOfACommand(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("the command is a shell")
	}
	r := &runner{ctx: t.Context(), oracle: "/tools"}
	for want, words := range map[string][]string{
		"/tools\n": {"sh", "-c", "echo $CULINK_ORACLE$EXTRA"}, "extra\n": {withoutOracle, "EXTRA=extra", "sh", "-c", "echo $CULINK_ORACLE$EXTRA"},
	} {
		if got, err := r.output(words...); got != want || err != nil {
			t.Errorf("%q: %q, want %q, %v", words, got, want, err)
		}
	}
}

// A step that a signal interrupts has failed, even if its commands succeed.
func TestInterruptedStep(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancelCause(t.Context())
	var out bytes.Buffer
	r := &runner{ctx: ctx, stdout: &out, stderr: &out}
	s := step{name: "vet", run: func(*runner) error { cancel(interruption{syscall.SIGHUP}); return nil }}
	if status := r.run([]step{s, s}, nil); status != 128+1 || strings.Count(out.String(), "== vet") != 1 || !strings.Contains(out.String(), "FAILED in vet") {
		t.Errorf("status %d:\n%s", status, &out)
	}
}

// If a signal ends .ci/run, the output does not contain "all passed". The commands of the step end too.
func TestChecksThatAreEnded(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("the program go is a shell script")
	}
	tools := t.TempDir()
	if err := os.WriteFile(filepath.Join(tools, "go"), []byte("#!/bin/sh\nkill -TERM $PPID\nsleep 60 &\nwait\n"), 0o777); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0], "vet")
	cmd.Env = append(os.Environ(), programVariable+"=yes", "PATH="+tools+string(os.PathListSeparator)+os.Getenv("PATH"))
	out, _ := cmd.CombinedOutput()
	if status := cmd.ProcessState.ExitCode(); status != 128+15 || strings.Contains(string(out), "passed") || !strings.Contains(string(out), "FAILED in vet") {
		t.Errorf("status %d:\n%s", status, out)
	}
}

// The command rejects an unknown step and prints the list of steps.
func TestCommandLine(t *testing.T) {
	t.Parallel()
	if status := run([]string{"vet", "no-such-step"}); status != 2 {
		t.Errorf("an unknown step: status %d", status)
	}
	var out bytes.Buffer
	list(&out, steps)
	for _, want := range []string{"\nvet            2  -    always  go vet ./..., and of the files for Windows, whose tests run by night\n", "\nall-recordings 20 live nightly every recording repeats\n"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no line %q in\n%s", want, &out)
		}
	}
}
