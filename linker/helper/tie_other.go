//go:build !unix

package helper

import "os/exec"

// tie does nothing: a cancelled context kills the helper, but not the processes that it has started.
func tie(*exec.Cmd) {}

func endGroup(*exec.Cmd) error { return nil }
