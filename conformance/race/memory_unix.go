//go:build unix

package race

import (
	"os"
	"runtime"
	"runtime/debug"
	"syscall"
)

// forgetPeak lets the peak of this process be what it needs now. A child begins with the peak
// of its parent, until it has more; where the system cannot forget, small peaks are not told.
func forgetPeak() {
	debug.FreeOSMemory()
	os.WriteFile("/proc/self/clear_refs", []byte("5"), 0)
}

// peakMemory is how many bytes of memory a process had at most.
func peakMemory(state *os.ProcessState) int64 {
	usage, ok := state.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	if runtime.GOOS == "darwin" {
		return int64(usage.Maxrss)
	}
	return int64(usage.Maxrss) << 10
}
