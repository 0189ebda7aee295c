//go:build unix

package command

import (
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// samplePTX returns the PTX of a kernel for sm_80.
func samplePTX(t *testing.T) []byte {
	t.Helper()
	ptx, err := os.ReadFile(filepath.Join("..", "..", "..", "linker", "input", "testdata", "k.80.ptx"))
	if err != nil {
		t.Fatal(err)
	}
	return ptx
}

// asProgram returns this test program, which is culink in the children that the test starts.
func asProgram(t *testing.T) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv(linkerVariable, "1")
	return self
}

// On a signal during a compilation, culink ends the compiler and removes its folder. Then culink ends itself with the
// same signal (LOAD-504).
func TestInterruptedCompiler(t *testing.T) {
	culink, ptx := asProgram(t), samplePTX(t)
	for _, s := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		if signal.Ignored(s) { // for example under nohup: culink ignores the signal too
			continue
		}
		t.Chdir(t.TempDir())
		write(t, "k.ptx", ptx)
		write(t, "tmp/x", nil)
		os.Remove("tmp/x")
		write(t, "ptxas", []byte("#!/bin/sh\necho $$ >pid\nexec sleep 1000\n"))
		os.Chmod("ptxas", 0o777)
		cmd := exec.Command(culink, "-arch=sm_80", "k.ptx", "-o", "out", "--ptxas=./ptxas")
		cmd.Env = append(os.Environ(), "TMPDIR="+mustAbs(t, "tmp"))
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		var pid int
		for tries := 0; pid == 0 && tries < 500; tries++ {
			time.Sleep(10 * time.Millisecond)
			data, _ := os.ReadFile("pid")
			pid, _ = strconv.Atoi(strings.TrimSpace(string(data)))
		}
		_ = cmd.Process.Signal(s)
		_ = cmd.Wait()
		if status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); !ok || status.Signal() != s {
			t.Errorf("%v: %v", s, cmd.ProcessState)
		}
		if pid == 0 || syscall.Kill(pid, 0) != syscall.ESRCH {
			t.Errorf("%v: the compiler %d still runs", s, pid)
		}
		if left, _ := os.ReadDir("tmp"); len(left) > 0 {
			t.Errorf("%v: left %v", s, left)
		}
	}
}

// If the compiler's output is not a regular file, the message names its type. Processes that the compiler leaves running
// are ended with it, in any process group (LOAD-504).
func TestOddOutputOfCompiler(t *testing.T) {
	culink, ptx := asProgram(t), samplePTX(t)
	t.Chdir(t.TempDir())
	write(t, "k.ptx", ptx)
	for makes, want := range map[string]string{"mkfifo": "wrote no file of code: p---------", "mkdir": "wrote no file of code: d---------"} {
		write(t, "ptxas", []byte("#!/bin/sh\nif command -v setsid >/dev/null; then setsid sh -c 'echo $$ >pid; exec sleep 1000' >/dev/null 2>&1 &\n"+
			"while [ ! -s pid ]; do sleep 0.01; done; fi\n"+
			"while [ $# -gt 1 ]; do shift; done\n"+makes+" \"$1\"\n"))
		os.Chmod("ptxas", 0o777)
		said, _ := exec.Command(culink, "-arch=sm_80", "k.ptx", "-o", "out", "--ptxas=./ptxas").CombinedOutput()
		if !strings.Contains(string(said), "ptxas failed: ./ptxas "+want) {
			t.Errorf("%s: %s", makes, said)
		}
		data, _ := os.ReadFile("pid")
		if pid, _ := strconv.Atoi(strings.TrimSpace(string(data))); runtime.GOOS == "linux" && (pid == 0 || syscall.Kill(pid, 0) != syscall.ESRCH) {
			t.Errorf("%s: what the compiler left, %d, still runs", makes, pid)
		}
		os.Remove("pid")
	}
}

// culink never runs a program from the folder of the link, whatever PATH contains (LOAD-504).
func TestCompilerOfTheFolder(t *testing.T) {
	ptx := samplePTX(t)
	t.Chdir(t.TempDir())
	write(t, "k.ptx", ptx)
	for _, name := range []string{"ptxas", "sub/ptxas", "ld", "gcc"} {
		write(t, name, []byte("#!/bin/sh\ntouch ran\n"))
		os.Chmod(name, 0o777)
	}
	for _, path := range []string{"", ".", "sub:."} {
		t.Setenv("PATH", path)
		t.Setenv("CULINK_PTXAS", "")
		for _, args := range []string{"-arch=sm_80 k.ptx -o out", "-ghls=lcs-abs -o script"} {
			var printed strings.Builder
			run(t.Context(), append([]string{"nvlink"}, strings.Fields(args)...), &printed, &printed)
			if _, err := os.Stat("ran"); err == nil {
				t.Fatalf("PATH=%q: %s ran a program of the folder", path, args)
			}
		}
	}
}
