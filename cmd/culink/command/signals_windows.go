package command

import (
	"os"
	"syscall"

	"golang.org/x/sys/windows"
)

// endingSignals are the signals that end a run from outside. os.Interrupt stands for Ctrl-C and Ctrl-Break. SIGTERM is
// Go's signal for a console that is closed, a user who logs off, and a system that shuts down.
var endingSignals = []os.Signal{os.Interrupt, syscall.SIGTERM}

// endBy exits with the status of a process that Ctrl-C ends.
func endBy(os.Signal) {
	status := uint32(windows.STATUS_CONTROL_C_EXIT)
	os.Exit(int(status))
}
