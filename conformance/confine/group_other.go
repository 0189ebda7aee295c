//go:build !unix

package confine

import (
	"os"
	"os/exec"
)

func ownGroup(*exec.Cmd) {}

func endGroup(*exec.Cmd) {}

func exitStatus(state *os.ProcessState) int { return state.ExitCode() }

func peakMemory(*os.ProcessState) int64 { return 0 }
