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
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Describe says in some words what confines a program here. It starts one to see, once: what a
// kernel has, a container may forbid.
func Describe(trusted bool) string { return described[trusted]() }

var described = map[bool]func() string{
	false: sync.OnceValue(func() string { return describe(false) }),
	true:  sync.OnceValue(func() string { return describe(true) }),
}

// describe starts a program that ends at once, and says what held it.
func describe(trusted bool) string {
	ctx, cancel := context.WithTimeout(context.Background(), probeTime)
	defer cancel()
	temp, err := os.MkdirTemp("", "culink-")
	if err != nil {
		return "none: " + err.Error()
	}
	defer os.RemoveAll(temp)
	c := Command{
		Path: self, Args: []string{probeName}, Dir: temp, Env: os.Environ(),
		Rules: Rules{Trusted: trusted, Write: []string{temp}},
	}
	result, err := c.Run(ctx)
	if err != nil {
		return "none: " + err.Error()
	}
	return result.held.String()
}

const (
	self      = "/proc/self/exe"
	probeTime = 30 * time.Second // for a machine that has much else to do
)

// held is what confined a program.
type held struct {
	Trusted  bool
	Landlock int  // its version; 0 is none
	Filter   bool // of system calls
	Limits   limitsHeld
}

// limitsHeld says when a program got its limits.
type limitsHeld int

const (
	noLimits limitsHeld = iota
	limitsAfterStart
	limitsBeforeStart
)

// String says it in the words of a report's head.
func (h held) String() string {
	var parts []string
	switch v := h.Landlock; {
	case h.Trusted:
		parts = []string{"trusted: all files"}
	case v == 0:
		parts = []string{"no Landlock: all files can be reached", "no new privileges"}
	case v < networkSince:
		parts = []string{fmt.Sprintf("Landlock %d (files)", v), "no new privileges"}
	case v < scopeSince:
		parts = []string{fmt.Sprintf("Landlock %d (files, TCP)", v), "no new privileges"}
	default:
		parts = []string{fmt.Sprintf("Landlock %d (files, TCP, signals)", v), "no new privileges"}
	}
	if h.Filter {
		parts = append(parts, "no sockets")
	}
	limits := map[limitsHeld]string{noLimits: "no limits on memory and files", limitsAfterStart: "limits after start", limitsBeforeStart: "limits before start"}
	return strings.Join(append(parts, limits[h.Limits], "processes killed whole"), ", ")
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

	cmd := exec.CommandContext(ctx, self)
	cmd.Args = []string{supervisorName}
	cmd.Env = c.Env
	if c.Stdin != nil {
		cmd.Stdin = c.Stdin
	}
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
	said.Result.held = said.Held
	return said.Result, nil
}

// hand tells the supervisor what to do.
func (c *Command) hand(to *os.File) error {
	defer to.Close()
	return json.NewEncoder(to).Encode(task{Path: c.Path, Args: c.Args, Dir: c.Dir, Env: c.Env, Rules: c.Rules, Limits: c.Limits, Alone: c.Alone})
}
