package helper

import (
	"context"
	"os/exec"
	"sync"
)

// Processes that a helper leaves running are killed with it. On all systems this covers the helper's process
// group. On Linux, if the process owns its helpers, it covers everything that the helper has started.

// An owner adopts the processes that its helpers' children leave.
type owner struct {
	mu     sync.Mutex
	spared map[int]bool // running helpers, and children from before the first helper, by process id; nil before that
}

type ownerKey struct{}

// Own returns a context for helpers that the process owns. It is meant for a command. Children that the process
// gets later and that no helper's Run has started are killed when the next helper ends.
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
