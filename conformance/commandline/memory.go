package commandline

import (
	"os"
	"runtime/debug"
)

// HoldMemory makes the garbage collector keep the process near the budget of a link, 64 MiB and 8 times its files, for a
// command that reads files of this size in bytes (CONF-016). The program itself takes about half of the 64 MiB.
func HoldMemory(size int) {
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(32<<20 + 8*int64(size))
	}
}
