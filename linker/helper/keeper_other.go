//go:build !unix

package helper

import (
	"errors"
	"os/exec"
)

// Keep fails: there are no keepers on this system.
func Keep([]string) int { return 2 }

func runKept(*exec.Cmd) error { return errors.ErrUnsupported }
