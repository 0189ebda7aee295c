package helper

import (
	"os/exec"
	"syscall"
)

// tie makes the helper the leader of a process group, so that the whole group can be killed. The system kills
// the helper when the linker dies.
func tie(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	cmd.Cancel = func() error { return endGroup(cmd) }
}

func endGroup(cmd *exec.Cmd) error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }

// tieKeeper requests that the system signals the keeper when the process dies. The keeper handles the signal
// like the end of its input.
func tieKeeper(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGTERM}
}
