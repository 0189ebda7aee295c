package command

import (
	"context"
	"os"
	"os/signal"
)

// A run that a signal ends leaves nothing behind: the programs that it has started end
// first and take their folders with them, and outputs that are not complete go. Then
// the signal does what it would have done at once, so that a shell sees why the run
// ended. Most links start no program and name no file before it is complete: they leave
// the signals alone, since to wait for them takes a thread, and a tenth of a small link.

// mayLeave is called before the run makes something that would stay behind after its end.
func (c *command) mayLeave() {
	if c.minded != nil {
		c.minded()
	}
}

// started is mayLeave for a program; the run waits for what it returns to be called.
func (c *command) started() (ended func()) {
	c.mayLeave()
	c.running.Add(1)
	return c.running.Done
}

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
