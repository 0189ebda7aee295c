//go:build unix

package helper

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// script writes an executable shell script.
func script(t *testing.T, name, text string) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte("#!/bin/sh\n"+text), 0o777); err != nil {
		t.Fatal(err)
	}
	return name
}

// Find uses only the absolute folders of PATH (LOAD-504).
func TestFind(t *testing.T) {
	folder := t.TempDir()
	t.Chdir(t.TempDir())
	script(t, "tool", "")
	script(t, "sub/tool", "")
	there := script(t, filepath.Join(folder, "tool"), "")
	for _, c := range []struct{ path, want string }{
		{"", ""}, {".", ""}, {":", ""}, {"sub:", ""}, {"./sub", ""},
		{"sub:" + folder, there}, {":" + folder + ":.", there},
	} {
		t.Setenv("PATH", c.path)
		if got := Find("tool"); got != c.want {
			t.Errorf("PATH=%s: %q, want %q", c.path, got, c.want)
		}
	}
}

// The output of a helper is limited. A helper that exceeds the limit is killed.
func TestFlood(t *testing.T) {
	tool := script(t, filepath.Join(t.TempDir(), "tool"), "exec yes")
	printed, err := Command{Path: tool}.Run(t.Context())
	if !errors.Is(err, ErrPrinted) || len(printed) != MostPrinted {
		t.Errorf("%d bytes, %v", len(printed), err)
	}
}

// Run returns both output streams of a helper, or only its stdout.
func TestStreams(t *testing.T) {
	tool := script(t, filepath.Join(t.TempDir(), "tool"), "echo said; echo complained >&2")
	for only, want := range map[bool]string{false: "said\ncomplained\n", true: "said\n"} {
		if printed, err := (Command{Path: tool, OnlyStdout: only}).Run(t.Context()); err != nil || string(printed) != want {
			t.Errorf("only stdout %t: %q, %v", only, printed, err)
		}
	}
}

// gone waits for a process to end.
func gone(pid int) bool {
	for range 200 {
		if syscall.Kill(pid, 0) == syscall.ESRCH || isZombie(pid) {
			return true
		}
		time.Sleep(10 * time.Millisecond)
	}
	return false
}

func isZombie(pid int) bool {
	status, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	_, state, _ := strings.Cut(string(status), ") ")
	return strings.HasPrefix(state, "Z")
}

// pidIn waits for a number in a file.
func pidIn(t *testing.T, file string) int {
	t.Helper()
	for range 500 {
		data, _ := os.ReadFile(file)
		if pid, err := strconv.Atoi(strings.TrimSpace(string(data))); err == nil && strings.HasSuffix(string(data), "\n") {
			return pid
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatal("the helper did not start")
	return 0
}

// Cancelling a run ends the helper and the processes that it has started.
func TestCancel(t *testing.T) {
	folder := t.TempDir()
	tool := script(t, filepath.Join(folder, "tool"), "sleep 1000 & echo $! >"+folder+"/pid; wait")
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() {
		_, err := Command{Path: tool}.Run(ctx)
		ended <- err
	}()
	pid := pidIn(t, folder+"/pid")
	cancel()
	if err := <-ended; err == nil {
		t.Error("no error")
	}
	if !gone(pid) {
		t.Error("what the helper started still runs")
	}
}

// Processes that a helper leaves running end with it.
func TestLeftRunning(t *testing.T) {
	folder := t.TempDir()
	tool := script(t, filepath.Join(folder, "tool"), "sleep 1000 >/dev/null 2>&1 & echo $! >"+folder+"/pid")
	if _, err := (Command{Path: tool}).Run(t.Context()); err != nil {
		t.Error(err)
	}
	if !gone(pidIn(t, folder+"/pid")) {
		t.Error("it still runs")
	}
}

// A process that owns its helpers also ends processes that leave a helper's process group, with their
// children. A keeper does the same. Another helper continues.
func TestLeftGroup(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux hands over what a process has left")
	}
	folder := t.TempDir()
	ctx := Own(t.Context())
	other := make(chan error, 1)
	slow := script(t, filepath.Join(folder, "slow"), "echo $$ >"+folder+"/slow.pid; sleep 0.5")
	go func() {
		_, err := Command{Path: slow}.Run(ctx)
		other <- err
	}()
	pidIn(t, folder+"/slow.pid")
	tool := script(t, filepath.Join(folder, "tool"), "setsid sh -c 'sleep 1000 & echo $! >"+folder+"/pid; sleep 1000' >/dev/null 2>&1 & while [ ! -s "+folder+"/pid ]; do sleep 0.01; done")
	for _, how := range []context.Context{ctx, Through(t.Context(), keeper(t))} {
		os.Remove(folder + "/pid")
		if _, err := (Command{Path: tool}).Run(how); err != nil {
			t.Error(err)
		}
		if !gone(pidIn(t, folder+"/pid")) {
			t.Error("it still runs")
		}
	}
	if err := <-other; err != nil {
		t.Errorf("the other helper: %v", err)
	}
}

// A helper that has ended is not spared: the system may give its number to a process that a later helper leaves.
func TestEndedIsNotSpared(t *testing.T) {
	tool := script(t, filepath.Join(t.TempDir(), "tool"), "")
	owned := Own(t.Context())
	before := 0
	for i := range 3 {
		if _, err := (Command{Path: tool}).Run(owned); err != nil {
			t.Fatal(err)
		}
		spared := len(ownerOf(owned).spared)
		if i == 0 {
			before = spared
		} else if spared != before {
			t.Errorf("%d processes are spared after %d helpers, %d after the first", spared, i+1, before)
		}
	}
}

// A child that the process had before it owned helpers is not ended.
func TestChildFromBefore(t *testing.T) {
	before := exec.Command("sleep", "1000")
	if err := before.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = before.Process.Kill()
		_ = before.Wait()
	}()
	tool := script(t, filepath.Join(t.TempDir(), "tool"), "")
	if _, err := (Command{Path: tool}).Run(Own(t.Context())); err != nil {
		t.Error(err)
	}
	if pid := before.Process.Pid; syscall.Kill(pid, 0) != nil || isZombie(pid) {
		t.Error("it has ended")
	}
}

// keeper returns a program that acts as a keeper. The program is this test binary.
func keeper(t *testing.T) string {
	t.Helper()
	t.Setenv("HELPER_KEEPER", "1")
	return os.Args[0]
}

func TestMain(m *testing.M) {
	if os.Getenv("HELPER_KEEPER") != "" && len(os.Args) > 1 && os.Args[1] == KeepWord {
		os.Exit(Keep(os.Args[2:]))
	}
	os.Exit(m.Run())
}

// A keeper reports the result of its helper (JIT-086). The helper ends when the context or the process does.
func TestKeeper(t *testing.T) {
	folder := t.TempDir()
	through := Through(t.Context(), keeper(t))
	fails := script(t, filepath.Join(folder, "fails"), "echo $1; echo $2 >&2; exit 7")
	printed, err := Command{Path: fails, Args: []string{"a b", "c"}}.Run(through)
	var failed *ExitError
	if !errors.As(err, &failed) || failed.Status != 7 || failed.Text != "exit status 7" || string(printed) != "a b\nc\n" {
		t.Errorf("%q, %v", printed, err)
	}
	killed := script(t, filepath.Join(folder, "killed"), "kill -9 $$")
	if _, err := (Command{Path: killed}).Run(through); !errors.As(err, &failed) || failed.Status != -1 || failed.Text != "signal: killed" {
		t.Errorf("killed: %v", err)
	}
	if _, err := (Command{Path: filepath.Join(folder, "missing")}).Run(through); err == nil || !strings.Contains(err.Error(), "no such file") {
		t.Errorf("missing: %v", err)
	}
	if _, err := (Command{Path: fails}).Run(Through(t.Context(), "/bin/true")); err == nil || !strings.Contains(err.Error(), "without an answer") {
		t.Errorf("a keeper that is none: %v", err)
	}
	ctx, cancel := context.WithCancel(through)
	sleeps := script(t, filepath.Join(folder, "sleeps"), "echo $$ >"+folder+"/pid; exec sleep 1000")
	ended := make(chan error)
	go func() {
		_, err := Command{Path: sleeps}.Run(ctx)
		ended <- err
	}()
	pidIn(t, folder+"/pid")
	cancel()
	if err := <-ended; err == nil {
		t.Error("what was cancelled has succeeded")
	}
	if !gone(pidIn(t, folder+"/pid")) {
		t.Error("it still runs")
	}
}

// A helper may leave a process running that has its stdout open. That process does not block the link.
func TestHeldOutput(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	tool := script(t, filepath.Join(t.TempDir(), "tool"), "echo said; sleep 1000 &")
	printed, _ := Command{Path: tool}.Run(ctx)
	if ctx.Err() != nil || string(printed) != "said\n" {
		t.Errorf("%q, %v", printed, ctx.Err())
	}
}

// If the linker is killed, its helper ends too, where the system supports this.
func TestDeathOfLinker(t *testing.T) {
	if tool := os.Getenv("HELPER_TOOL"); tool != "" {
		_, _ = Command{Path: tool}.Run(t.Context())
		return
	}
	if runtime.GOOS != "linux" {
		t.Skip("only Linux ends a process with the one that started it")
	}
	folder := t.TempDir()
	tool := script(t, filepath.Join(folder, "tool"), "echo $$ >"+folder+"/pid; exec sleep 1000")
	linker := exec.Command(os.Args[0], "-test.run=^TestDeathOfLinker$")
	linker.Env = append(os.Environ(), "HELPER_TOOL="+tool)
	if err := linker.Start(); err != nil {
		t.Fatal(err)
	}
	pid := pidIn(t, folder+"/pid")
	_ = linker.Process.Kill()
	_ = linker.Wait()
	if !gone(pid) {
		t.Error("the helper still runs")
	}
}

// A helper may print exactly MostPrinted bytes, and no more.
func TestMostPrinted(t *testing.T) {
	if MostPrinted != 16_777_216 {
		t.Errorf("%d bytes", MostPrinted)
	}
	exceeded := false
	b := cappedBuffer{exceeded: func() { exceeded = true }}
	for _, tt := range []struct {
		n    int
		want bool
	}{{MostPrinted - 1, false}, {1, false}, {0, false}, {1, true}} {
		if n, err := b.Write(make([]byte, tt.n)); n != tt.n || err != nil || exceeded != tt.want {
			t.Fatalf("%d more bytes: %d, %v, exceeded: %v", tt.n, n, err, exceeded)
		}
	}
	if b.kept.Len() != MostPrinted {
		t.Errorf("%d bytes are kept", b.kept.Len())
	}
}
