package command

import (
	"os"
	"runtime"
	"runtime/debug"
	"unsafe"
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

// heapRoom is the size in bytes of that piece. Only what is filled becomes memory. A larger one
// gained nothing: where the system has no huge pages at hand, one costs more than 512 small ones.
const heapRoom = 64 << 20

// A link of many small inputs takes about seven times their size, and nearly all of it until the
// end. The collector is held off for as long, up to a size at which it would be missed.
const (
	heapPerByte = 8
	mostHeldOff = 256 << 20
)

// largeLink is the size in bytes of the inputs from which a link is large.
const largeLink = 2 << 20

// A link of one or two hundred kernels would only pay for the collection that gives a piece back.
// The runtime takes memory from the system in steps. A piece that is a little more than one step
// and is never filled leaves nearly a step behind it, for all that is allocated next: huge pages
// are asked for there. A link of two small files fills less than one huge page.

const (
	heapStep   = 4 << 20
	hugePage   = 2 << 20
	mediumLink = 128 << 10 // bytes of inputs
)

// prepareHeap holds the collector off for a link of these files, unless GOGC in the environment
// asks for another one than the usual.
func prepareHeap(files []string) {
	before := debug.SetGCPercent(percentFor(heldOff))
	if before != usualPercent {
		debug.SetGCPercent(before)
		return
	}
	switch size := sizeOf(files); {
	case size >= largeLink:
		debug.SetGCPercent(-1)
		askForHugePages(make([]byte, heapRoom))
		debug.SetGCPercent(percentFor(heapRoom)) // the first collection begins at once, for the piece
		afterCollection(percentFor(min(max(heapRoom, heapPerByte*size), mostHeldOff)), usualPercent)
		return
	case size >= mediumLink:
		askForHugePagesNext()
	}
	afterCollection(usualPercent)
}

// askForHugePagesNext asks for huge pages for what is allocated next.
func askForHugePagesNext() {
	piece := make([]byte, heapStep+1)
	from := uintptr(unsafe.Pointer(&piece[heapStep]))
	to := (from + heapStep) / heapStep * heapStep // where the step ends
	askForHugePagesAt(from/hugePage*hugePage, to)
}

// percentFor is by how many percent an empty heap grows until it has a size in bytes.
func percentFor(size int) int {
	const firstCollection = 4 << 20 // the heap at which the runtime begins at 100 percent
	return size / firstCollection * usualPercent
}

// afterCollection sets by how many percent the heap grows after the next collection, after the
// one that follows, and so on. The last number stays.
func afterCollection(percent int, later ...int) {
	runtime.SetFinalizer(&sentinel{}, func(*sentinel) {
		debug.SetGCPercent(percent)
		if len(later) > 0 {
			afterCollection(later[0], later[1:]...)
		}
	})
}

// usualPercent is how many percent a heap grows between two collections.
const usualPercent = 100

// A sentinel is garbage that the first collection finds.
type sentinel struct{ _ *sentinel }

// sizeOf adds the sizes of files up, as far as it matters.
func sizeOf(files []string) (size int) {
	for _, name := range files {
		if info, err := os.Stat(name); err == nil {
			size += int(min(info.Size(), mostHeldOff))
		}
		if size >= mostHeldOff {
			break
		}
	}
	return size
}
