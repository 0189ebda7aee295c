package command

import (
	"os"
	"runtime"
	"runtime/debug"
	"unsafe"
)

// A link lives for milliseconds, and needs most of what it makes until its end: a collector
// that starts early looks at everything, again and again, and finds little. So it is held
// off until the heap has grown to a size that no small link reaches, after each run anew. Where more
// than half of that is needed it works as usual, which keeps the memory of a large link in bounds
// (docs/security.md).

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

// A link of one or two hundred kernels would only pay for the collection that gives a piece back.
// The runtime takes memory from the system in steps. A piece that is a little more than one step
// and is never filled leaves one to two steps behind it, for all that is allocated next: huge pages
// are asked for there. A link of two small files fills less than one huge page.
const (
	heapStep = 4 << 20
	hugePage = 2 << 20
)

// The sizes in bytes of the inputs from which a link is large, or takes such a step. Code for sm_100
// and later takes memory to be finalized, which the collector gives back: a piece as large as the heap
// without it will do.
const (
	largeLink         = 2 << 20
	largeMercuryLink  = 1 << 20
	mediumLink        = 128 << 10
	mediumMercuryLink = 24 << 10
)

// prepareHeap holds the collector off for a link of these files, unless GOGC in the environment
// asks for another one than the usual.
func prepareHeap(files []string, mercury bool) {
	before := debug.SetGCPercent(percentFor(heldOff, 0))
	if before != usualPercent {
		debug.SetGCPercent(before)
		return
	}
	large, medium := largeLink, mediumLink
	if mercury {
		large, medium = largeMercuryLink, mediumMercuryLink
	}
	until := heldOff
	switch size := sizeOf(files); {
	case size >= largeLink:
		fillFirst(heapRoom)
		until = min(max(heapRoom, heapPerByte*size), mostHeldOff)
	case size >= large:
		fillFirst(heldOff)
	case size >= medium:
		askForHugePagesNext()
	}
	holdOff(until)
}

// fillFirst takes a piece of memory from the system, for which huge pages are asked for, and lets a
// collection that begins at once give it back to the runtime.
func fillFirst(size int) {
	debug.SetGCPercent(-1)
	askForHugePages(make([]byte, size))
	debug.SetGCPercent(percentFor(size, 0))
}

// askForHugePagesNext asks for huge pages for what is allocated next.
func askForHugePagesNext() {
	piece := make([]byte, heapStep+1)
	from := uintptr(unsafe.Pointer(&piece[heapStep]))
	to := (from + 2*heapStep) / heapStep * heapStep // the first step may hold all of the piece
	askForHugePagesAt(from/hugePage*hugePage, to)
}

// percentFor is by how many percent a heap of which so many bytes are needed grows until it has a
// size, and at least the usual.
func percentFor(size, needed int) int {
	const least = 4 << 20 // a smaller heap grows as one of this size
	return max(usualPercent, (size-needed)/(max(needed, least)/100))
}

// holdOff holds the collector off, after each of its runs, until the heap has grown to a size.
func holdOff(size int) {
	runtime.SetFinalizer(&sentinel{}, func(*sentinel) {
		var after runtime.MemStats
		runtime.ReadMemStats(&after)
		debug.SetGCPercent(percentFor(size, int(after.HeapAlloc)))
		holdOff(size)
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
