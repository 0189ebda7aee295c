package hunt

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/culink/culink/conformance/attempt"
	"github.com/culink/culink/conformance/sandbox"
)

// parseLinker splits a command line at blanks and finds the program. It is run
// through a link named nvlink in dir, so that its messages and notes carry the
// name that the reference's do.
func parseLinker(line, dir string) (*sandbox.Linker, error) {
	words := strings.Fields(line)
	if len(words) == 0 {
		return nil, errors.New("empty linker command")
	}
	path, err := exec.LookPath(words[0])
	if err != nil {
		return nil, err
	}
	if path, err = filepath.Abs(path); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	name := filepath.Join(dir, "nvlink")
	if err := os.Symlink(path, name); err != nil {
		return nil, err
	}
	words[0] = name
	return &sandbox.Linker{Command: words, Limits: sandbox.DefaultLimits}, nil
}

// An outcome is all that a link left behind.
type outcome struct {
	exit    int
	stdout  string
	stderr  string
	output  []byte // nil: no file was written
	trouble string // how it ended, when it did not end by itself
}

// crashed is the smallest exit status that a shell counts for a signal.
const crashed = 128

// A runner runs links: a conformance.Linker, or a conformance.Server.
type runner interface {
	Run(ctx context.Context, before attempt.Files, argv []string) (*attempt.Outcome, error)
}

// link runs one step with the inputs before.
func link(linker runner, before attempt.Files, s step) (outcome, error) {
	result, err := linker.Run(context.Background(), before, s.args)
	if err != nil {
		return outcome{}, err
	}
	o := outcome{exit: result.Exit, stdout: string(result.Stdout), stderr: string(result.Stderr), output: result.Files[s.output]}
	switch {
	case result.Killed != "":
		o.trouble = "past the limit of " + result.Killed
	case o.exit > crashed && o.exit < crashed+64:
		o.trouble = fmt.Sprintf("signal %d", o.exit-crashed)
	case strings.Contains(o.stderr, "\ngoroutine "):
		o.trouble = "panic"
	}
	return o, nil
}
