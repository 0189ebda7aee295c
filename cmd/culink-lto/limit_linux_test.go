package main

import (
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
)

const limitsVariable = "CULINK_TEST_LIMITS"

// The process that loads the library has limits, and its children inherit them (LTO-041).
func TestLimits(t *testing.T) {
	if os.Getenv(limitsVariable) != "" { // a separate process sets the limits, because they cannot be raised again
		limit()
		for resource, want := range map[int]uint64{syscall.RLIMIT_AS: maxMemory, syscall.RLIMIT_FSIZE: maxOutput, syscall.RLIMIT_CORE: 0} {
			var got syscall.Rlimit
			if err := syscall.Getrlimit(resource, &got); err != nil || got.Cur != want || got.Max != want {
				t.Errorf("limit %d is %d, %v; want %d", resource, got.Cur, err, want)
			}
		}
		return
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, "-test.run", "TestLimits", "-test.v")
	cmd.Env = append(os.Environ(), limitsVariable+"=1")
	if said, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(said), "--- PASS: TestLimits") {
		t.Errorf("%v\n%s", err, said)
	}
}
