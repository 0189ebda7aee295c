package command

import (
	"context"
	"os"
	"os/signal"
)

// A run that is ended by a signal leaves no files. The programs that it started end
// first and remove their folders, and incomplete outputs are removed. Then the signal
// is raised again with its default action, so that a shell sees why the run
// ended. Most links start no program and name only complete files. They do not handle
// signals, because that needs a thread and costs a tenth of a small link.

// mayLeave is called before the run creates something that would remain after its end.
func (c *command) mayLeave() {
	if c.minded != nil {
		c.minded()
	}
}

// started is mayLeave for a program. A run ended by a signal waits until the returned function is called.
func (c *command) started() (ended func()) {
	c.mayLeave()
	c.running.Add(1)
	return c.running.Done
}

// endBySignal installs this handling for the signals that end a run. cancel ends the
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
