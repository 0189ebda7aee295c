package command

import (
	"context"
	"os"
	"os/signal"
)

// A run that a signal ends leaves no files. On a signal, the run first ends the programs that it has started, and
// removes their folders and the incomplete outputs. Then it raises the signal again with the default action, so that a
// shell sees why the run ended. Most links start no program and create no incomplete file under a name. They do not
// handle signals, because that needs a thread and costs a tenth of the time of a small link.

// mayLeave must be called before the run creates something that could remain after its end.
func (c *command) mayLeave() {
	if c.minded != nil {
		c.minded()
	}
}

// started does the same as mayLeave, for a program that starts. If a signal ends the run, the run waits until the
// returned function is called.
func (c *command) started() (ended func()) {
	c.mayLeave()
	c.running.Add(1)
	return c.running.Done
}

// endBySignal installs the handling of the signals that end a run. cancel ends the started programs.
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
