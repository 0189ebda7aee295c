package helper

import (
	"context"
	"os/exec"
	"sync"
)

// What a helper leaves running is ended with it: its process group everywhere, and on Linux whatever it has started, in
// a process that owns its helpers.

// An owner is a process that owns its helpers: what their children leave becomes its own.
type owner struct {
	mu      sync.Mutex
	running map[int]bool // helpers, by process id
}

type ownerKey struct{}

// Own returns a context for helpers that the process owns. It is for a command: whatever child of the process no
// helper's Run has started ends with the next helper that does.
func Own(ctx context.Context) context.Context {
	return context.WithValue(ctx, ownerKey{}, &owner{running: map[int]bool{}})
}

// ownerOf returns the owner of a context; nil where there is none.
func ownerOf(ctx context.Context) *owner {
	o, _ := ctx.Value(ownerKey{}).(*owner)
	return o
}

// run runs a helper, and ends what it leaves.
func (o *owner) run(cmd *exec.Cmd) error {
	tie(cmd)
	if err := o.start(cmd); err != nil {
		return err
	}
	err := cmd.Wait()
	endGroup(cmd)
	if o != nil {
		o.mu.Lock()
		defer o.mu.Unlock()
		delete(o.running, cmd.Process.Pid)
		endStrays(o.running)
	}
	return exitError(err)
}

func (o *owner) start(cmd *exec.Cmd) error {
	if o == nil {
		return cmd.Start()
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	adopt()
	err := cmd.Start()
	if err == nil {
		o.running[cmd.Process.Pid] = true
	}
	return err
}
