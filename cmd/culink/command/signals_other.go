//go:build !unix && !windows

package command

import "os"

// endingSignals are the signals that end a run from outside.
var endingSignals = []os.Signal{os.Interrupt}

// endBy exits with the status of an interrupt.
func endBy(os.Signal) { os.Exit(130) }
