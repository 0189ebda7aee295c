package parallel

import (
	"runtime"
	"sync/atomic"
	"testing"
)

// TestDo: each piece is done once, whatever the number of threads.
func TestDo(t *testing.T) {
	for _, threads := range []int{0, 1, 2, 3, 16} {
		for _, n := range []int{0, 1, 2, 15, 16, 17, 1000, 5000} {
			done := make([]atomic.Int32, n)
			Do(threads, n, func(i int) { done[i].Add(1) })
			for i := range done {
				if times := done[i].Load(); times != 1 {
					t.Fatalf("%d threads: piece %d of %d is done %d times", threads, i, n, times)
				}
			}
		}
	}
}

// TestDoAtOnce: as many pieces as threads are under way together.
func TestDoAtOnce(t *testing.T) {
	for _, threads := range []int{2, 4} {
		arrived := make(chan bool, threads)
		all := make(chan bool)
		Do(threads, threads, func(int) {
			if arrived <- true; len(arrived) == threads {
				close(all)
			}
			<-all
		})
	}
}

// TestDoPanics: the caller gets the panic of a piece, after all goroutines have ended.
func TestDoPanics(t *testing.T) {
	for _, threads := range []int{1, 4} {
		var running atomic.Int32
		func() {
			defer func() {
				if p := recover(); p != "piece 7" || running.Load() != 0 {
					t.Errorf("%d threads: panic %v, %d still running", threads, p, running.Load())
				}
			}()
			Do(threads, 1000, func(i int) {
				running.Add(1)
				defer running.Add(-1)
				if i == 7 {
					panic("piece 7")
				}
			})
			t.Errorf("%d threads: no panic", threads)
		}()
	}
}

// To ask how many threads there are sets nothing.
func TestThreads(t *testing.T) {
	const want = 3
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(want)) // whatever other tests have made of it
	for range 2 {
		if got := Threads(); got != want {
			t.Errorf("%d threads, want %d", got, want)
		}
	}
	if got := runtime.GOMAXPROCS(want); got != want {
		t.Errorf("%d processors may be used then, want %d", got, want)
	}
}
