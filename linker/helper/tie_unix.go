//go:build unix && !linux

package helper

import (
	"os/exec"
	"syscall"
)

// tie makes the helper the leader of a process group, so that the whole group can be killed.
func tie(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return endGroup(cmd) }
}

func endGroup(cmd *exec.Cmd) error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }

// tieKeeper makes the keeper the leader of a process group.
func tieKeeper(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }
