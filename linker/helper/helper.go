// Package helper runs the programs that a link needs beside itself: the assembler of PTX, the
// host's compiler and linker.
//
// A helper works on what strangers wrote, so it is bounded as the link is: it is found in
// absolute folders only, what it prints is limited, and it ends with the link, however that
// ends: a cancelled context kills it and what it has started, and where the system can, the
// death of the linker does too.
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

// Find returns the path of a program in the folders before, or on PATH; empty when there is
// none. Folders that are relative, or empty, do not count: what stands in the folder of a link
// is not to be run.
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
	// OnlyStdout leaves what is printed on stderr out.
	OnlyStdout bool
}

// MostPrinted is how many bytes a helper may print.
const MostPrinted = 16 << 20

// ErrPrinted tells that a helper printed more than MostPrinted bytes.
var ErrPrinted = fmt.Errorf("it printed more than %d bytes", MostPrinted)

// A process that does not belong to the linker, as one that has loaded it as a library, may ignore SIGCHLD or wait for
// every child: how a helper ended is lost there. A keeper is a program of ours between the two. It starts the helper,
// waits for it, ends what it leaves, and answers over a pipe, which nobody takes away. It ends them too when its
// standard input ends, which is the other end of a pipe of that process.

type keeperKey struct{}

// Through returns a context whose helpers a keeper runs, which is the program of that path; with an empty path the
// process runs them itself.
func Through(ctx context.Context, keeper string) context.Context {
	return context.WithValue(ctx, keeperKey{}, keeper)
}

func keeperOf(ctx context.Context) string {
	keeper, _ := ctx.Value(keeperKey{}).(string)
	return keeper
}

// KeepWord is the first argument of a keeper; the helper and its arguments follow.
const KeepWord = "-keep"

// An ExitError says how a helper ended that did not succeed.
type ExitError struct {
	Status int    // -1 when a signal ended it
	Text   string // as the system says it: "exit status 2", "signal: killed"
}

func (e *ExitError) Error() string { return e.Text }

// Run runs a helper to its end and returns what it printed, up to the limit. The error is an *[ExitError]
// where the helper ran and failed.
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
	cmd.WaitDelay = time.Second // for what it has started and that holds its pipes
	// The system ends a helper when the thread that started it ends.
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

// exitError is err, or the ExitError that stands for it.
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
