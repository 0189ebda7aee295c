//go:build !unix

package fuzz

import "time"

var started = time.Now()

// clockStep is the step of the clock on Windows.
const clockStep = 16 * time.Millisecond

// cpuTime returns the time since the start, because this system does not report CPU time.
func cpuTime() time.Duration { return time.Since(started) }
