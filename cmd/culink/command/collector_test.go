package command

import (
	"math"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"testing"
	"time"
)

// sizeOf adds up the sizes of the inputs. A missing input counts as empty.
func TestSizeOf(t *testing.T) {
	half := filepath.Join(t.TempDir(), "half")
	if err := os.WriteFile(half, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(half, largeLink/2); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		files []string
		want  int
	}{
		{nil, 0},
		{[]string{half}, largeLink / 2},
		{[]string{half, "missing"}, largeLink / 2},
		{[]string{half, "missing", half}, largeLink},
	} {
		if got := sizeOf(tt.files); got != tt.want {
			t.Errorf("%d files: %d bytes", len(tt.files), got)
		}
	}
}

// The runtime can reuse the memory of makeRoom at once, without a collection. The test first returns free memory of
// earlier tests to the system. Otherwise the runtime would take the room from that memory and add nothing.
func TestMakeRoom(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	debug.FreeOSMemory()
	free := func() (bytes uint64, collections uint32) {
		var stats runtime.MemStats
		runtime.ReadMemStats(&stats)
		return stats.HeapIdle - stats.HeapReleased, stats.NumGC
	}
	before, collections := free()
	makeRoom[largeRoom]()
	after, now := free()
	if after < before+leastOfLarge/2 || now != collections {
		t.Errorf("%d bytes are free, %d before, after %d collections", after, before, now-collections)
	}
}

// The heap stays within the memory limit also if no finalizer runs after a collection, as on a busy machine. Otherwise it
// would grow to eight times the live heap.
func TestLateFinalizer(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(usualPercent))
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(math.MaxInt64))
	debug.FreeOSMemory()
	var before runtime.MemStats
	runtime.ReadMemStats(&before)
	prepareHeap(nil, false)

	// All finalizers run on one goroutine, which waits here until the end of the test.
	waits, end := make(chan bool), make(chan bool)
	defer close(end)
	runtime.SetFinalizer(&sentinel{}, func(*sentinel) { close(waits); <-end })
	runtime.GC()
	<-waits

	live := make([]byte, heldOff/2)
	runtime.GC()
	most := uint64(0)
	for range 64 {
		garbage = make([]byte, 4<<20)
		var now runtime.MemStats
		runtime.ReadMemStats(&now)
		most = max(most, now.HeapAlloc-min(now.HeapAlloc, before.HeapAlloc))
		time.Sleep(time.Millisecond)
	}
	garbage = nil
	runtime.KeepAlive(live)
	if bound := uint64(heap{size: heldOff}.limitFor(0)); most > bound {
		t.Errorf("the heap grew to %d bytes, %d allowed", most, bound)
	}
}

// garbage is freed by the next collection.
var garbage []byte
