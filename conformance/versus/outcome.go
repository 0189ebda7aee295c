package versus

import (
	"context"
	"fmt"
	"strings"

	"github.com/culink/culink/conformance/attempt"
)

// A Step is one link: its arguments after the linker's name, and the name of its output.
type Step struct {
	Args   []string
	Output string
}

// An Outcome is the result of a link.
type Outcome struct {
	Exit    int
	Stdout  string
	Stderr  string
	Output  []byte // nil: no file was written
	Trouble string // how it ended, if it did not end by itself
}

// crashed is the lowest exit status that stands for a signal, by the convention of shells.
const crashed = 128

// A Runner runs links. Linker and Server of package sandbox are Runners.
type Runner interface {
	Run(ctx context.Context, before attempt.Files, argv []string) (*attempt.Outcome, error)
}

// Link runs one step. before holds the files that exist before the step.
func Link(linker Runner, before attempt.Files, s Step) (Outcome, error) {
	result, err := linker.Run(context.Background(), before, s.Args)
	if err != nil {
		return Outcome{}, err
	}
	o := Outcome{Exit: result.Exit, Stdout: string(result.Stdout), Stderr: string(result.Stderr), Output: result.Files[s.Output]}
	switch {
	case result.Killed != "":
		o.Trouble = "past the limit of " + result.Killed
	case o.Exit > crashed && o.Exit < crashed+64:
		o.Trouble = fmt.Sprintf("signal %d", o.Exit-crashed)
	case strings.Contains(o.Stderr, "\ngoroutine "):
		o.Trouble = "panic"
	}
	return o, nil
}
