package helper

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/windows"
)

// roleVariable is an environment variable. It makes the test binary a process that runs a helper, which is the test
// binary too.
const roleVariable = "CULINK_TEST_ROLE"

func TestMain(m *testing.M) {
	switch os.Getenv(roleVariable) {
	case "linker":
		program, err := os.Executable()
		if err != nil {
			panic(err)
		}
		os.Setenv(roleVariable, "helper")
		name := os.Args[1]
		if _, err := (Command{Path: program, Args: []string{name}}).Run(Own(context.Background())); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(7)
	case "helper":
		if name := os.Args[1]; name != "" {
			if err := os.WriteFile(name, fmt.Appendln(nil, os.Getpid()), 0o600); err != nil {
				panic(err)
			}
			time.Sleep(time.Minute)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// asLinker returns the command that runs the test binary as a process that runs a helper. The helper writes its
// process id into the named file.
func asLinker(t *testing.T, name string) *exec.Cmd {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, name)
	cmd.Env = append(os.Environ(), roleVariable+"=linker")
	cmd.Stderr = os.Stderr
	return cmd
}

// A helper ends with the process that runs it, even if that process is killed (WIN-033). The exit status of that
// process does not change.
func TestHelperEndsWithLinker(t *testing.T) {
	if err := asLinker(t, "").Run(); err == nil || !strings.Contains(err.Error(), "exit status 7") {
		t.Errorf("the linker: %v", err)
	}
	name := t.TempDir() + `\pid`
	linker := asLinker(t, name)
	if err := linker.Start(); err != nil {
		t.Fatal(err)
	}
	var pid uint32
	for deadline := time.Now().Add(20 * time.Second); pid == 0 && time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		if f, err := os.Open(name); err == nil {
			fmt.Fscanln(bufio.NewReader(f), &pid)
			f.Close()
		}
	}
	helper, err := windows.OpenProcess(windows.SYNCHRONIZE, false, pid)
	if err != nil {
		t.Fatalf("the helper %d: %v", pid, err)
	}
	defer windows.CloseHandle(helper)
	linker.Process.Kill()
	linker.Wait()
	if event, err := windows.WaitForSingleObject(helper, 10_000); event != windows.WAIT_OBJECT_0 {
		t.Errorf("the helper still runs: %#x, %v", event, err)
	}
}
