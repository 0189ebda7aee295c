//go:build unix

package main

import (
	"context"
	"errors"
	"os/exec"
	"syscall"
)

// ownGroup puts a command into a new process group. The signal that ends the run is sent to the whole group, so that
// programs started by the go command end too.
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
