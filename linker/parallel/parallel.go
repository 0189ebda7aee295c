// Package parallel does many independent pieces of work at the same time.
//
// Do serves the phases of a link that process inputs, functions or sections one by one and independently. The
// results of the pieces are stored by number and processed in that order afterwards. Neither the output nor the
// messages therefore depend on the number of processors.
package parallel

import (
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
)

// Threads returns the default number of pieces that run at the same time: the number of processors.
func Threads() int { return runtime.GOMAXPROCS(0) }

// Do calls work for each number below n, on at most threads goroutines. 0 stands for the result of Threads. One
// of the goroutines is the caller's. Each goroutine repeatedly takes the next few numbers. If work panics, the
// other goroutines end after their current piece, and Do panics with the same value.
func Do(threads, n int, work func(i int)) {
	if threads <= 0 {
		threads = Threads()
	}
	const most = 64 // maximum number of pieces taken together
	atOnce := min(most, max(1, n/(threads*8)))
	threads = min(threads, (n+atOnce-1)/atOnce)
	if threads <= 1 {
		for i := range n {
			work(i)
		}
		return
	}
	var next atomic.Int64
	var failure atomic.Pointer[any]
	faults := debug.SetPanicOnFault(false) // each goroutine gets the caller's setting
	some := func() {
		debug.SetPanicOnFault(faults)
		defer func() {
			if p := recover(); p != nil {
				failure.CompareAndSwap(nil, &p)
				next.Store(int64(n))
			}
		}()
		for {
			last := int(next.Add(int64(atOnce)))
			if last-atOnce >= n {
				return
			}
			for i := last - atOnce; i < min(last, n); i++ {
				work(i)
			}
		}
	}
	var others sync.WaitGroup
	for range threads - 1 {
		others.Go(some)
	}
	some()
	others.Wait()
	if p := failure.Load(); p != nil {
		panic(*p)
	}
}
