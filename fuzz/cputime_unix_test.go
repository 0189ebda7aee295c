//go:build unix

package fuzz

import (
	"syscall"
	"time"
)

// clockStep is the step of the clock, which is small.
const clockStep = 0

// cpuTime returns the CPU time of this process so far, without other processes.
func cpuTime() time.Duration {
	var use syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &use); err != nil {
		return 0
	}
	return time.Duration(use.Utime.Nano() + use.Stime.Nano())
}
