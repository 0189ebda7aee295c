//go:build unix

package parallel

import (
	"runtime/debug"
	"sync/atomic"
	"syscall"
	"testing"
)

// TestDoFaults checks an access to memory that cannot be read, as of a truncated mapped file. It panics on
// every goroutine if the caller has set that it panics. The setting of the caller is unchanged afterwards.
func TestDoFaults(t *testing.T) {
	page, err := syscall.Mmap(-1, 0, 4096, syscall.PROT_NONE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		t.Skip(err)
	}
	defer syscall.Munmap(page)
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	const threads = 4
	var faults atomic.Int32
	arrived := make(chan bool, threads)
	all := make(chan bool)
	Do(threads, threads, func(int) { // each on a separate goroutine
		if arrived <- true; len(arrived) == threads {
			close(all)
		}
		<-all
		defer func() {
			if recover() != nil {
				faults.Add(1)
			}
		}()
		page[0]++
	})
	if faults.Load() != threads {
		t.Errorf("%d faults of %d are panics", faults.Load(), threads)
	}
	if !debug.SetPanicOnFault(true) {
		t.Error("the caller's setting is lost")
	}
}
