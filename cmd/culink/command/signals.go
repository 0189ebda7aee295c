package command

import (
	"context"
	"os"
	"os/signal"
)

// A run that a signal ends leaves nothing behind: the programs that it has started end
// first and take their folders with them, and outputs that are not complete go. Then
// the signal does what it would have done at once, so that a shell sees why the run
// ended.

// endBySignal lets the signals that end a run do so in this way; cancel ends the
// programs.
func (c *command) endBySignal(cancel context.CancelFunc) {
	arrived := make(chan os.Signal, 1)
	for _, s := range endingSignals {
		if !signal.Ignored(s) { // under nohup it stays so
			signal.Notify(arrived, s)
		}
	}
	go func() {
		s := <-arrived
		cancel()
		c.files.outputs.Abandon()
		c.running.Wait()
		endBy(s)
	}()
}
