//go:build unix

package fuzz

import (
	"syscall"
	"time"
)

// cpuTime is the time that this process has worked so far: other programs do not
// count.
func cpuTime() time.Duration {
	var use syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &use); err != nil {
		return 0
	}
	return time.Duration(use.Utime.Nano() + use.Stime.Nano())
}
