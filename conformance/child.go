package conformance

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// A linker under test is never trusted: it runs as a child in a folder of its
// own, with limits on time, memory and printed bytes. nvlink itself hangs and
// crashes on some inputs, so the reference runs in the same way.

// Limits bound one run of a child.
type Limits struct {
	Time   time.Duration
	Memory uint64 // address space in bytes; enforced on Linux only
	File   uint64 // bytes of one file; enforced on Linux only
	Output int    // bytes of stdout and of stderr that are kept; more kills the child
}

// DefaultLimits are far above what any case of the corpus needs.
var DefaultLimits = Limits{Time: 30 * time.Second, Memory: 8 << 30, File: 1 << 30, Output: 64 << 20}

// A Linker is a command that takes nvlink's arguments.
type Linker struct {
	Command []string // program and leading arguments
	Name    string   // argv[0], by which a linker names itself; empty: that of Command
	Limits  Limits
	Env     []string // beside the environment of this process, as "NAME=value"
}

// An Outcome is what a linker did in one step.
type Outcome struct {
	Exit           int // 128+n after signal n, as a shell counts
	Stdout, Stderr []byte
	Files          Files    // created or changed
	Removed        []string // files of before that are gone
	Marks          Marks    // what it did to the disk beside that
	// Killed says which limit ended the child: "time" or "output"; else empty.
	Killed string
}

// ParseCommand splits a command line into a program and its arguments. Words
// are split at blanks; one in double quotes may hold blanks and the escapes of
// Go. The program, and every word that names a file, become absolute, because a
// linker runs in a folder of its own.
func ParseCommand(line string) ([]string, error) {
	words, err := splitWords(line)
	if err != nil {
		return nil, err
	}
	if len(words) == 0 {
		return nil, errors.New("an empty command")
	}
	if words[0], err = exec.LookPath(words[0]); err != nil {
		return nil, err
	}
	for i, w := range words {
		if info, err := os.Stat(w); err == nil && info.Mode().IsRegular() {
			if words[i], err = filepath.Abs(w); err != nil {
				return nil, err
			}
		}
	}
	return words, nil
}

// Run runs the linker with the arguments argv in a fresh folder that holds the
// files before. It fails only when the child cannot be started or its folder
// cannot be read.
func (l *Linker) Run(ctx context.Context, before Files, argv []string) (*Outcome, error) {
	dir, err := os.MkdirTemp("", "cuconform-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	return l.runIn(ctx, dir, before, argv)
}

// runIn is Run in an existing folder, which it empties first.
func (l *Linker) runIn(ctx context.Context, dir string, before Files, argv []string) (*Outcome, error) {
	s, err := stage(dir, before)
	if err != nil {
		return nil, err
	}
	o, err := runChild(ctx, l.Limits, s.work, s.temp, l.Name, l.Env, append(l.Command[:len(l.Command):len(l.Command)], argv...))
	if err != nil {
		return nil, err
	}
	o.gather(s)
	return o, nil
}

// runChild runs one command in a folder, by the name if there is one, and gathers
// what it printed.
func runChild(ctx context.Context, limits Limits, dir, temp, name string, env, command []string) (*Outcome, error) {
	ctx, cancel := context.WithTimeout(ctx, limits.Time)
	defer cancel()
	o := &Outcome{}
	ctx, flood := context.WithCancelCause(ctx)
	defer flood(nil)
	stdout := &cappedBuffer{limit: limits.Output, exceeded: flood}
	stderr := &cappedBuffer{limit: limits.Output, exceeded: flood}

	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	if name != "" {
		cmd.Args[0] = name
	}
	cmd.Dir = dir
	cmd.Env = append(append(os.Environ(), env...), "TMPDIR="+temp, "LC_ALL=C")
	cmd.Stdout, cmd.Stderr = stdout, stderr
	cmd.WaitDelay = time.Second
	ownGroup(cmd)
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	limitChild(cmd.Process.Pid, limits)
	err := cmd.Wait()
	endGroup(cmd)
	o.Stdout, o.Stderr = stdout.kept.Bytes(), stderr.kept.Bytes()
	o.Exit = exitStatus(cmd.ProcessState)
	switch {
	case context.Cause(ctx) == errFlood:
		o.Killed = "output"
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		o.Killed = "time"
	case ctx.Err() != nil:
		return nil, ctx.Err()
	default:
		var exit *exec.ExitError
		if err != nil && !errors.As(err, &exit) && !errors.Is(err, exec.ErrWaitDelay) {
			return nil, err
		}
	}
	return o, nil
}

var errFlood = errors.New("too much output")

// A cappedBuffer keeps the first limit bytes and reports when there are more.
type cappedBuffer struct {
	kept     bytes.Buffer
	limit    int
	exceeded context.CancelCauseFunc
}

func (b *cappedBuffer) Write(p []byte) (int, error) {
	room := b.limit - b.kept.Len()
	if len(p) > room {
		b.kept.Write(p[:room])
		b.exceeded(errFlood)
		return len(p), nil
	}
	return b.kept.Write(p)
}
