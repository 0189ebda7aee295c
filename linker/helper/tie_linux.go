package helper

import (
	"os/exec"
	"syscall"
)

// tie makes the helper the head of a process group, which is killed whole, and lets the system
// kill it when the linker dies.
func tie(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	cmd.Cancel = func() error { return endGroup(cmd) }
}

func endGroup(cmd *exec.Cmd) error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }

// tieKeeper lets the system end the keeper when the process dies: by a signal that it takes for the end of its input.
func tieKeeper(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGTERM}
}
