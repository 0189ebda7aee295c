package main

import (
	"bytes"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
	"time"
)

// asCuconform is the environment variable that makes the test binary act as cuconform.
const asCuconform = "CUCONFORM_TEST_AS_CUCONFORM"

// peakOnly is a value of asCuconform. With it, the test binary does not print its output. At the end it prints its state
// from /proc, which contains its peak memory. (The peak that the system reports to the parent includes the memory of the
// parent.)
const peakOnly = "peak"

// A run that a signal ends leaves no incomplete report, and the old report stays (CONF-660).
func TestEndedRunLeavesNoDraft(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no signals")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	slow := writeScript(t, "slow", "sleep 60")
	endings := []os.Signal{syscall.SIGTERM, syscall.SIGHUP, syscall.SIGINT}
	// If the signals are ignored here, as by nohup, the command would ignore them too.
	signal.Notify(make(chan os.Signal, 1), endings...)
	t.Cleanup(func() { signal.Reset(endings...) })
	for _, ending := range endings {
		dir := t.TempDir()
		report := filepath.Join(dir, "report.json")
		if err := os.WriteFile(report, []byte("old"), 0o666); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(self, "run", "-linker", slow, "-run", "basic/one-kernel", "-sm", "80", "-json", report)
		cmd.Env = append(os.Environ(), asCuconform+"=1")
		var out bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &out
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		drafts := func() []string { names, _ := filepath.Glob(report + ".*.new"); return names }
		for start := time.Now(); len(drafts()) == 0 && time.Since(start) < 20*time.Second; {
			time.Sleep(10 * time.Millisecond)
		}
		if len(drafts()) != 1 {
			t.Errorf("no draft")
		}
		_ = cmd.Process.Signal(ending)
		if err := cmd.Wait(); err == nil {
			t.Errorf("%v: the run passed", ending)
		}
		if data, err := os.ReadFile(report); len(drafts()) > 0 || string(data) != "old" {
			t.Errorf("%v leaves %v and a report of %q, %v\n%s", ending, drafts(), data, err, &out)
		}
	}
}

// The command that a run suggests names the same linker and the same trust as the run (CONF-013).
func TestNextCommandKeepsTheFlags(t *testing.T) {
	lazy := lazyLinker(t)
	flags := []string{"-linker", lazy, "-run", "messages/undefined", "-sm", "80", "-facet", "exit,file", "-trust"}
	for _, c := range []struct {
		more []string
		want string
	}{
		{nil, "\nnext: cuconform run -linker " + lazy + " -trust -run messages/undefined -sm 80 -v\n"},
		{[]string{"-v"}, "\nnext: cuconform reduce -linker " + lazy + " -trust messages/undefined -sm 80 "},
		{[]string{"-v", "-keep-env", "HOME"}, "\nnext: cuconform reduce -linker " + lazy + " -trust -keep-env HOME messages/undefined -sm 80 "},
	} {
		if _, out := runCommand(t, append(append([]string{"run"}, flags...), c.more...)...); !bytes.Contains([]byte(out), []byte(c.want)) {
			t.Errorf("%v: no %q in\n%s", c.more, c.want, out)
		}
	}
}
