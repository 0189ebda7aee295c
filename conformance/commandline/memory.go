package commandline

import (
	"os"
	"runtime/debug"
)

// HoldMemory sets the memory limit of the garbage collector for a command that reads files with this total size in
// bytes. The limit is 64 MiB plus 8 times that size (CONF-016). The program itself needs about half of the 64 MiB.
func HoldMemory(size int) {
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(32<<20 + 8*int64(size))
	}
}
