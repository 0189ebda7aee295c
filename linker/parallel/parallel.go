// Package parallel does many independent pieces of work at the same time.
//
// A phase of a link that treats inputs, functions or sections one by one, with no word
// between them, gives them to Do. What the pieces find out is stored by their number and
// looked at in that order afterwards, so that neither the output nor the messages depend on
// how many processors there are.
package parallel

import (
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
)

// Threads is how many pieces of work are done at once when nobody says otherwise: as many as
// there are processors.
func Threads() int { return runtime.GOMAXPROCS(0) }

// Do calls work for each number below n, on at most threads goroutines (0: Threads), the
// caller's among them. Each takes the next few numbers that nobody has taken. A panic of work
// ends the other goroutines after their current piece, and is the caller's.
func Do(threads, n int, work func(i int)) {
	if threads <= 0 {
		threads = Threads()
	}
	const most = 64 // pieces taken at once
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
	faults := debug.SetPanicOnFault(false) // as each of the goroutines has it, the caller too
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
