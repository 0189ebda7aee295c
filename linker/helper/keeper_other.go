//go:build !unix

package helper

import (
	"errors"
	"os/exec"
)

// hasKeepers is false, because on these systems only the process itself waits for its children.
const hasKeepers = false

// Keep always fails, because this system has no keepers.
func Keep([]string) int { return 2 }

func runKept(*exec.Cmd) error { return errors.ErrUnsupported }
