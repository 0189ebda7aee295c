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

// Run runs a helper to its end and returns what it printed, up to the limit.
func (c Command) Run(ctx context.Context) ([]byte, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	printed := &cappedBuffer{exceeded: func() { cancel(ErrPrinted) }}
	cmd := exec.CommandContext(ctx, c.Path, c.Args...)
	cmd.Stdout = printed
	if !c.OnlyStdout {
		cmd.Stderr = printed
	}
	cmd.WaitDelay = time.Second // for what it has started and that holds its pipes
	// The system ends a helper when the thread that started it ends.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	tie(cmd)
	err := cmd.Run()
	if cmd.Process != nil {
		endGroup(cmd)
	}
	if errors.Is(context.Cause(ctx), ErrPrinted) {
		err = ErrPrinted
	}
	return printed.kept.Bytes(), err
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
