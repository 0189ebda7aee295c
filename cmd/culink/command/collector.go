package command

import (
	"runtime"
	"runtime/debug"
)

// A link lives for milliseconds, and needs most of what it makes until its end: a collector
// that starts early looks at everything, again and again, and finds little. So it is held
// off until the heap has grown to a size that no small link reaches, and works as usual from
// then on, which keeps the memory of a large link in bounds (docs/security.md).

// heldOff is the size in bytes of the heap at which the collector begins.
const heldOff = 32 << 20

// holdCollector holds the collector off, unless GOGC in the environment asks for another one
// than the usual.
func holdCollector() {
	const firstCollection = 4 << 20 // the heap at which the runtime begins at 100 percent
	before := debug.SetGCPercent(heldOff / firstCollection * 100)
	if before != usualPercent {
		debug.SetGCPercent(before)
		return
	}
	runtime.SetFinalizer(&sentinel{}, func(*sentinel) { debug.SetGCPercent(usualPercent) })
}

// usualPercent is how many percent a heap grows between two collections.
const usualPercent = 100

// A sentinel is garbage that the first collection finds.
type sentinel struct{ _ *sentinel }
