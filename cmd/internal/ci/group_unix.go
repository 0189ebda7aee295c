//go:build unix

package main

import (
	"context"
	"errors"
	"os/exec"
	"syscall"
)

// ownGroup makes a command the head of a process group. The signal that ends the run goes to the whole group, so that
// the programs that go has started end too.
func ownGroup(ctx context.Context, cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error {
		number := syscall.SIGTERM
		if ended := (interruption{}); errors.As(context.Cause(ctx), &ended) {
			number = ended.signal
		}
		return syscall.Kill(-cmd.Process.Pid, number)
	}
}
