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
	mu     sync.Mutex
	spared map[int]bool // by process id, helpers that run and children from before the first one; nil before that
}

type ownerKey struct{}

// Own returns a context for helpers that the process owns. It is for a command: a child that the process gets later, and
// that no helper's Run has started, ends with the next helper.
func Own(ctx context.Context) context.Context {
	return context.WithValue(ctx, ownerKey{}, &owner{})
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
		delete(o.spared, cmd.Process.Pid)
		endStrays(o.spared)
	}
	return exitError(err)
}

func (o *owner) start(cmd *exec.Cmd) error {
	if o == nil {
		return cmd.Start()
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.spared == nil {
		o.spared = map[int]bool{}
		for _, pid := range adopt() {
			o.spared[pid] = true
		}
	}
	err := cmd.Start()
	if err == nil {
		o.spared[cmd.Process.Pid] = true
	}
	return err
}
