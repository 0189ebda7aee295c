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

// A large link fills some ten thousand pages of fresh memory, and the system's work for these was a
// fifth of its time. With huge pages, which the runtime does not ask for, it is next to nothing. So
// the first memory of such a link is taken from the system in one piece, for which huge pages
// are asked for, and given back to the runtime, which fills it first.

// heapRoom is the size in bytes of that piece. Only what is filled becomes memory.
const heapRoom = 64 << 20

// largeLink is the size in bytes of the inputs from which a link is large.
const largeLink = 2 << 20

// prepareHeap holds the collector off for a link of these files, unless GOGC in the environment
// asks for another one than the usual.
func prepareHeap(files []string) {
	if before := debug.SetGCPercent(-1); before != usualPercent {
		debug.SetGCPercent(before)
		return
	}
	held := heldOff
	if isLarge(files) {
		held = heapRoom
		askForHugePages(make([]byte, heapRoom))
		runtime.GC() // the piece is free again
	}
	const firstCollection = 4 << 20 // the heap at which the runtime begins at 100 percent
	debug.SetGCPercent(held / firstCollection * usualPercent)
	runtime.SetFinalizer(&sentinel{}, func(*sentinel) { debug.SetGCPercent(usualPercent) })
}

// usualPercent is how many percent a heap grows between two collections.
const usualPercent = 100

// A sentinel is garbage that the first collection finds.
type sentinel struct{ _ *sentinel }

// isLarge reports whether the files are those of a large link.
func isLarge(files []string) bool {
	var size int64
	for _, name := range files {
		if info, err := os.Stat(name); err == nil {
			size += info.Size()
		}
		if size >= largeLink {
			return true
		}
	}
	return false
}
