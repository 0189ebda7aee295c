package confine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Describe says in some words what confines a program here.
func Describe(trusted bool) string {
	parts := []string{"limits before start", "processes killed whole"}
	if trusted {
		return strings.Join(append([]string{"trusted: all files"}, parts...), ", ")
	}
	if hasFilter() {
		parts = append([]string{"no sockets"}, parts...)
	}
	parts = append([]string{"no new privileges"}, parts...)
	switch v := version(); {
	case v == 0:
		parts = append([]string{"no Landlock: all files can be reached"}, parts...)
	case v < networkSince:
		parts = append([]string{fmt.Sprintf("Landlock %d (files)", v)}, parts...)
	case v < scopeSince:
		parts = append([]string{fmt.Sprintf("Landlock %d (files, TCP)", v)}, parts...)
	default:
		parts = append([]string{fmt.Sprintf("Landlock %d (files, TCP, signals)", v)}, parts...)
	}
	return strings.Join(parts, ", ")
}

// Run runs the program to its end, or until the context ends, with all that it has started.
// It fails when the program cannot be started.
func (c *Command) Run(ctx context.Context) (Result, error) {
	taskEnd, give, err := os.Pipe()
	if err != nil {
		return Result{}, err
	}
	defer give.Close()
	defer taskEnd.Close()
	take, reportEnd, err := os.Pipe()
	if err != nil {
		return Result{}, err
	}
	defer reportEnd.Close()
	defer take.Close()

	cmd := exec.CommandContext(ctx, "/proc/self/exe")
	cmd.Args = []string{supervisorName}
	cmd.Env = c.Env
	cmd.Stdout, cmd.Stderr = c.Stdout, c.Stderr
	cmd.ExtraFiles = []*os.File{taskEnd, reportEnd}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: unix.SIGTERM}
	cmd.Cancel = func() error { return cmd.Process.Signal(unix.SIGTERM) }
	cmd.WaitDelay = 5 * time.Second
	runtime.LockOSThread() // the death of this thread ends the supervisor
	defer runtime.UnlockOSThread()
	if err := cmd.Start(); err != nil {
		return Result{}, err
	}
	taskEnd.Close()
	reportEnd.Close()
	err = c.hand(give)
	var said report
	if err == nil {
		err = json.NewDecoder(take).Decode(&said)
	}
	waited := cmd.Wait()
	_ = unix.Kill(-cmd.Process.Pid, unix.SIGKILL)
	switch {
	case ctx.Err() != nil:
		return Result{Exit: 128 + int(unix.SIGKILL)}, ctx.Err()
	case err != nil:
		return Result{}, fmt.Errorf("the supervisor ended: %w", errors.Join(err, waited))
	case said.Error != "":
		return Result{}, errors.New(said.Error)
	}
	return said.Result, nil
}

// hand tells the supervisor what to do.
func (c *Command) hand(to *os.File) error {
	defer to.Close()
	return json.NewEncoder(to).Encode(task{c.Path, c.Args, c.Dir, c.Env, c.Rules, c.Limits})
}
