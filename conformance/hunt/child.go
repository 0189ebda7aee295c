package hunt

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// Limits of a child process: every linker runs as one, the reference as well.
const (
	timeLimit   = 30 * time.Second
	memoryLimit = 4 << 20 // KiB of address space
)

// A command is a program and the arguments that come before those of a link.
type command struct {
	path string
	args []string
}

// parseCommand splits a command line at blanks and finds the program.
func parseCommand(line string) (command, error) {
	words := strings.Fields(line)
	if len(words) == 0 {
		return command{}, errors.New("empty linker command")
	}
	path, err := exec.LookPath(words[0])
	if err != nil {
		return command{}, err
	}
	if path, err = filepath.Abs(path); err != nil {
		return command{}, err
	}
	return command{path, words[1:]}, nil
}

// An outcome is all that a link left behind.
type outcome struct {
	Exit    int // -1: killed by a signal, or past the time limit
	Stderr  string
	Stdout  string
	Output  []byte // nil: no file was written
	Trouble string // how it ended, when it did not end by itself
}

// link runs one link in dir. The child believes that its name is nvlink, so that
// messages and notes can be compared.
func (c command) link(dir string, args []string, output string) outcome {
	target := filepath.Join(dir, output)
	os.Remove(target)
	ctx, cancel := context.WithTimeout(context.Background(), timeLimit)
	defer cancel()
	shell := []string{"-c", fmt.Sprintf(`ulimit -v %d; ulimit -c 0; exec -a nvlink "$0" "$@"`, memoryLimit), c.path}
	cmd := exec.CommandContext(ctx, "bash", append(append(shell, c.args...), args...)...)
	cmd.Dir = dir
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	cmd.WaitDelay = time.Second
	err := cmd.Run()
	o := outcome{Stdout: stdout.String(), Stderr: stderr.String()}
	if cmd.ProcessState == nil {
		o.Exit, o.Trouble = -1, fmt.Sprint("not started: ", err)
		return o
	}
	o.Exit = cmd.ProcessState.ExitCode()
	switch {
	case ctx.Err() != nil:
		o.Exit, o.Trouble = -1, "past the time limit"
	case o.Exit < 0:
		o.Trouble = cmd.ProcessState.String()
	case o.Exit == 2 && strings.Contains(o.Stderr, "goroutine "):
		o.Trouble = "panic"
	}
	if data, err := os.ReadFile(target); err == nil {
		o.Output = data
	}
	os.Remove(target)
	return o
}
