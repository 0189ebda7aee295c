//go:build !unix

package fuzz

import "time"

var started = time.Now()

// cpuTime is the time since the start, where it is not known who worked.
func cpuTime() time.Duration { return time.Since(started) }
