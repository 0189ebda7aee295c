// Package helper runs the external programs of a link: the PTX assembler, and the host's compiler and linker.
//
// A helper processes input that is not trusted. It is therefore limited like the link itself. It is looked up
// only in absolute folders, and its output is limited. It always ends with the link: if the context is
// cancelled, the helper and the processes that it has started are killed. Where the system supports it, the
// same happens if the linker dies.
package helper

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"time"
)

// Find returns the path of a program in the folders before or on PATH, or an empty string if there is none.
// Relative and empty folders are ignored, because files in the folder of a link must not be run.
func Find(name string, before ...string) string {
	for _, folder := range append(before, filepath.SplitList(os.Getenv("PATH"))...) {
		if !filepath.IsAbs(folder) {
			continue
		}
		if path, err := exec.LookPath(filepath.Join(folder, name)); err == nil {
			return path
		}
	}
	return ""
}

// A Command is one run of a helper.
type Command struct {
	Path string
	Args []string // without the program's name
	// OnlyStdout discards the output on stderr.
	OnlyStdout bool
}

// MostPrinted is the maximum number of bytes that a helper may print.
const MostPrinted = 16 << 20

// ErrPrinted is the error for a helper that printed more than MostPrinted bytes.
var ErrPrinted = fmt.Errorf("it printed more than %d bytes", MostPrinted)

// A process that does not belong to the linker, such as one that has loaded it as a library, may ignore SIGCHLD
// or wait for every child. The exit status of a helper is lost in such a process. A keeper is a program of
// culink that runs between the process and the helper. It starts the helper, waits for it, ends the processes
// that the helper leaves, and reports the result over a pipe that nobody else reads. The standard input of the
// keeper is a pipe from the process. If it ends, the keeper ends the helper too.

type keeperKey struct{}

// Through returns a context in which helpers are run by the program at path keeper. If the path is empty, or
// the system has no keepers, the process runs the helpers itself.
func Through(ctx context.Context, keeper string) context.Context {
	if !hasKeepers {
		return ctx
	}
	return context.WithValue(ctx, keeperKey{}, keeper)
}

func keeperOf(ctx context.Context) string {
	keeper, _ := ctx.Value(keeperKey{}).(string)
	return keeper
}

// KeepWord is the first argument of a keeper. The helper and its arguments follow it.
const KeepWord = "-keep"

// An ExitError describes the end of a helper that failed.
type ExitError struct {
	Status int    // -1 if a signal ended it
	Text   string // the system's description: "exit status 2", "signal: killed"
}

func (e *ExitError) Error() string { return e.Text }

// Run runs a helper to its end and returns its output, up to the limit. If the helper ran and failed, the error
// is an *[ExitError].
func (c Command) Run(ctx context.Context) ([]byte, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	printed := &cappedBuffer{exceeded: func() { cancel(ErrPrinted) }}
	keeper := keeperOf(ctx)
	path, args := c.Path, c.Args
	if keeper != "" {
		path, args = keeper, append([]string{KeepWord, c.Path}, c.Args...)
	}
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Stdout = printed
	if !c.OnlyStdout {
		cmd.Stderr = printed
	}
	cmd.WaitDelay = time.Second // for processes that it has started and that keep its pipes open
	// The system ends a helper when the thread that started it ends, so this thread is kept.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var err error
	if keeper != "" {
		err = runKept(cmd)
	} else {
		err = ownerOf(ctx).run(cmd)
	}
	if errors.Is(context.Cause(ctx), ErrPrinted) {
		err = ErrPrinted
	}
	return printed.kept.Bytes(), err
}

// exitError returns the ExitError for err if the helper failed, and err otherwise.
func exitError(err error) error {
	if failed := (*exec.ExitError)(nil); errors.As(err, &failed) {
		return &ExitError{failed.ExitCode(), failed.Error()}
	}
	return err
}

// A cappedBuffer keeps the first MostPrinted bytes.
type cappedBuffer struct {
	kept     bytes.Buffer
	exceeded func()
}

func (b *cappedBuffer) Write(p []byte) (int, error) {
	if room := MostPrinted - b.kept.Len(); len(p) > room {
		b.kept.Write(p[:room])
		b.exceeded()
		return len(p), nil
	}
	return b.kept.Write(p)
}
