package command

import (
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"testing"
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
