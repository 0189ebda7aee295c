package command

import (
	"os"
	"runtime"
	"runtime/debug"
)

// A link runs for milliseconds and needs most of its allocations until the end. A garbage collector that starts early
// would scan the whole heap repeatedly and free little. So the first collection is delayed until the heap reaches a size
// that no small link reaches. Later collections are delayed in the same way. If more than half of that size is in use,
// the collector works as usual, which limits the memory of a large link (docs/security.md).

// heldOff is the heap size in bytes at which the collector starts.
const heldOff = 32 << 20

// A link needs about five to seven times the size of its inputs, nearly all of it until the end. The collector is
// delayed accordingly, up to a limit. In a link of 50,000 functions, the only collection, at 256 MB, took a third of the
// CPU time and freed nothing. Finalizing code for sm_100 and later uses memory that can be freed.
const (
	heapPerByte    = 8
	leastOfLarge   = 64 << 20
	mostHeldOff    = 1 << 30
	mostForMercury = 256 << 20
)

// The minimum sizes, in bytes, of the inputs of a large and of a medium link. Finalizing code for sm_100 and later needs
// additional memory. The collector frees that memory, so the heap size does not include it.
const (
	largeLink         = 2 << 20
	largeMercuryLink  = 1 << 20
	mediumLink        = 128 << 10
	mediumMercuryLink = 24 << 10
)

// prepareHeap delays the collector for a link of these files and reserves memory for the heap. It does nothing if the
// environment sets GOGC to another value than the default.
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
	h := heap{size: until, limit: debug.SetMemoryLimit(-1)}
	switch {
	case until > leastOfLarge:
		h.room = mostRoom
		makeRoom[hugeRoom]()
	case size >= large:
		h.room = leastOfLarge
		makeRoom[largeRoom]()
	}
	h.holdOff(0)
}

// percentFor returns the GC percentage at which a heap with the needed live bytes grows to size. It is never below the
// default.
func percentFor(size, needed int) int {
	const least = 4 << 20 // the heap grows at least as if it had this size
	return max(usualPercent, (size-needed)/(max(needed, least)/100))
}

// A heap tells how far the memory of a link may grow before the collector runs, in bytes.
type heap struct {
	size  int   // of the heap at which a collection starts
	room  int   // memory from makeRoom
	limit int64 // GOMEMLIMIT
}

// holdOff delays the collector until the heap has grown to its size, or to twice the live bytes. It does so again after
// each collection, in a finalizer, which sets the percentage of the new live bytes. A finalizer runs late on a busy
// machine. Until then the old percentage would let the heap grow to eight times the live bytes and more, so that a memory
// limit applies as well.
func (h heap) holdOff(live int) {
	debug.SetMemoryLimit(min(h.limit, h.limitFor(live)))
	runtime.SetFinalizer(&sentinel{}, func(*sentinel) {
		var after runtime.MemStats
		runtime.ReadMemStats(&after)
		debug.SetGCPercent(percentFor(h.size, int(after.HeapAlloc)))
		h.holdOff(int(after.HeapAlloc))
	})
}

// limitFor returns the memory limit for a heap with the given live bytes. The runtime counts the memory from makeRoom and
// its own lists and stacks too.
func (h heap) limitFor(live int) int64 {
	const besidesHeap = 16 << 20
	return int64(max(h.size, 2*live)) + int64(h.room) + besidesHeap
}

// usualPercent is Go's default GC percentage.
const usualPercent = 100

// A sentinel is an unreachable object. The first collection finds it and runs its finalizer.
type sentinel struct{ _ *sentinel }

// sizesLooked is the number of files whose size is sampled. Calling stat on each of 1,000 files would take 2 % of their
// link.
const sizesLooked = 64

// sizeOf estimates the total size of all files. It stops where a larger size makes no difference.
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
