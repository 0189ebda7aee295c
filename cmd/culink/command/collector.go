package command

import (
	"os"
	"runtime"
	"runtime/debug"
)

// A link lives for milliseconds, and needs most of what it makes until its end: a collector
// that starts early looks at everything, again and again, and finds little. So it is held
// off until the heap has grown to a size that no small link reaches, and works as usual from
// then on, which keeps the memory of a large link in bounds (docs/security.md).

// heldOff is the size in bytes of the heap at which the collector begins.
const heldOff = 32 << 20

// holdCollector holds the collector off, unless the user has a word to say about it.
func holdCollector() {
	const firstCollection = 4 << 20 // where the runtime collects first at 100 percent
	if os.Getenv("GOGC") != "" || os.Getenv("GOMEMLIMIT") != "" {
		return
	}
	usual := debug.SetGCPercent(heldOff / firstCollection * 100)
	runtime.SetFinalizer(&sentinel{}, func(*sentinel) { debug.SetGCPercent(usual) })
}

// A sentinel is garbage that the first collection finds.
type sentinel struct{ next *sentinel }
