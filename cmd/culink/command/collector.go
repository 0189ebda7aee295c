package command

import (
	"os"
	"runtime"
	"runtime/debug"
)

// A link lives for milliseconds, and needs most of what it makes until its end: a collector
// that starts early looks at everything, again and again, and finds little. So it is held
// off until the heap has grown to a size that no small link reaches, after each run anew. Where more
// than half of that is needed it works as usual, which keeps the memory of a large link in bounds
// (docs/security.md).

// heldOff is the size in bytes of the heap at which the collector begins.
const heldOff = 32 << 20

// A link takes about five to seven times its inputs, and nearly all of it until the end. The collector is held off for as
// long, up to a size at which it would be missed: with 50,000 functions its one run at 256 MB took a third of the CPU time
// and freed nothing. Code for sm_100 and later is finalized in memory that it gives back.
const (
	heapPerByte    = 8
	leastOfLarge   = 64 << 20
	mostHeldOff    = 1 << 30
	mostForMercury = 256 << 20
)

// The sizes in bytes of the inputs from which a link is large, or medium. Code for sm_100 and later
// takes memory to be finalized, which the collector gives back: room as large as the heap
// without it will do.
const (
	largeLink         = 2 << 20
	largeMercuryLink  = 1 << 20
	mediumLink        = 128 << 10
	mediumMercuryLink = 24 << 10
)

// prepareHeap holds the collector off for a link of these files, unless GOGC in the environment
// asks for another one than the usual, and makes room for its heap.
func prepareHeap(files []string, mercury bool) {
	before := debug.SetGCPercent(percentFor(heldOff, 0))
	if before != usualPercent {
		debug.SetGCPercent(before)
		return
	}
	large, medium, most := largeLink, mediumLink, mostHeldOff
	if mercury {
		large, medium, most = largeMercuryLink, mediumMercuryLink, mostForMercury
	}
	until, size := heldOff, sizeOf(files)
	if size >= largeLink {
		until = min(max(leastOfLarge, heapStep+heapPerByte*size), most)
		debug.SetGCPercent(percentFor(until, 0))
	}
	if size >= medium {
		askForHugePagesNext()
	}
	switch {
	case until > leastOfLarge:
		makeRoom[hugeRoom]()
	case size >= large:
		makeRoom[largeRoom]()
	}
	holdOff(until)
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

// sizesLooked is how many files tell how large the others are: to ask for each of 1,000 takes 2 % of their link.
const sizesLooked = 64

// sizeOf is about the size of all files together, as far as it matters.
func sizeOf(files []string) (size int) {
	looked := min(len(files), sizesLooked)
	for _, name := range files[:looked] {
		if info, err := os.Stat(name); err == nil {
			size += int(min(info.Size(), mostHeldOff))
		}
		if size >= mostHeldOff {
			break
		}
	}
	return size * len(files) / max(looked, 1)
}
