//go:build unix

package command

import (
	"os"
	"os/signal"
	"syscall"
	"time"
)

// endingSignals are the signals that end a run from outside.
var endingSignals = []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP}

// endBy ends the process with a signal.
func endBy(s os.Signal) {
	signal.Reset(s)
	n := s.(syscall.Signal)
	syscall.Kill(os.Getpid(), n)
	time.Sleep(time.Second) // until it arrives
	os.Exit(128 + int(n))   // reached only if the signal is blocked
}
