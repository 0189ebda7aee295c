//go:build !linux

package confine

import (
	"context"
	"errors"
	"os/exec"
	"time"
)

// Describe describes briefly what confines a program here.
func Describe(bool) string {
	return "its own process group; " + NotHeld + ": files, memory, network, other processes"
}

// held describes what confined a program. On this system nothing does.
type held struct{}

// Run runs the program to its end, or until the context ends. It fails if the program cannot be started.
func (c *Command) Run(ctx context.Context) (Result, error) {
	cmd := exec.CommandContext(ctx, c.Path)
	cmd.Args, cmd.Dir, cmd.Env = c.Args, c.Dir, c.Env
	if c.Stdin != nil {
		cmd.Stdin = c.Stdin
	}
	cmd.Stdout, cmd.Stderr = c.Stdout, c.Stderr
	cmd.WaitDelay = time.Second
	ownGroup(cmd)
	start := time.Now()
	if err := cmd.Start(); err != nil {
		return Result{}, err
	}
	err := cmd.Wait()
	wall := time.Since(start)
	endGroup(cmd)
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return Result{Exit: exitStatus(cmd.ProcessState)}, ctx.Err()
	case err != nil && !errors.As(err, &exit) && !errors.Is(err, exec.ErrWaitDelay):
		return Result{}, err
	}
	usage := Usage{wall, cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(), peakMemory(cmd.ProcessState)}
	return Result{Exit: exitStatus(cmd.ProcessState), Usage: usage}, nil
}
