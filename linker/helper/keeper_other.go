//go:build !unix

package helper

import (
	"errors"
	"os/exec"
)

// hasKeepers is false: nobody but the process waits for its children on these systems.
const hasKeepers = false

// Keep fails: there are no keepers on this system.
func Keep([]string) int { return 2 }

func runKept(*exec.Cmd) error { return errors.ErrUnsupported }
