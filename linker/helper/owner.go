package helper

import (
	"context"
	"os/exec"
	"sync"
)

// If a helper leaves processes running, they are killed with it. On all systems these are the processes of the
// helper's process group. On Linux they are all processes that the helper has started, if the process owns its
// helpers.

// An owner adopts the processes that the children of its helpers leave running.
type owner struct {
	mu     sync.Mutex
	spared map[int]bool // running helpers, and children from before the first helper, by process id; nil before that
}

type ownerKey struct{}

// Own returns a context for helpers that the process owns. It is meant for a command. If the process later gets
// children that no helper's Run has started, they are killed when the next helper ends.
func Own(ctx context.Context) context.Context {
	return context.WithValue(ctx, ownerKey{}, &owner{})
}

// ownerOf returns the owner in a context, or nil if there is none.
func ownerOf(ctx context.Context) *owner {
	o, _ := ctx.Value(ownerKey{}).(*owner)
	return o
}

// run runs a helper, and kills the processes that it leaves.
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
