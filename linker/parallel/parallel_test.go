package parallel

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
)

// TestDo checks that each piece is done once, for any number of threads.
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

// TestDoAtOnce checks that as many pieces as there are threads run at the same time.
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

// TestDoAtMost checks that at most as many pieces as threads run at the same time. On one thread they run in
// order. None runs after Do has returned. With one processor, each goroutine runs when another one yields.
func TestDoAtMost(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	for _, threads := range []int{1, 2, 4} {
		const n = 1000
		var lock sync.Mutex
		var running, most, done int
		inOrder := true
		Do(threads, n, func(i int) {
			lock.Lock()
			inOrder = inOrder && i == done
			running++
			most = max(most, running)
			lock.Unlock()
			runtime.Gosched()
			lock.Lock()
			running--
			done++
			lock.Unlock()
		})
		lock.Lock()
		if most != threads || running != 0 || done != n || inOrder != (threads == 1) {
			t.Errorf("%d threads: at most %d pieces together, %d done, %d not, in order: %v", threads, most, done, running, inOrder)
		}
		lock.Unlock()
	}
}

// TestDoEndsAfterPanic checks that no goroutine starts more pieces after a piece has panicked.
func TestDoEndsAfterPanic(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	var done atomic.Int32
	defer func() {
		if recover() == nil || done.Load() > 100 {
			t.Errorf("%d pieces are done", done.Load())
		}
	}()
	Do(4, 10_000, func(int) {
		if done.Add(1) == 1 {
			panic("the first")
		}
		runtime.Gosched()
	})
}

// TestDoPanics checks that Do passes on the panic of a piece after all goroutines have ended.
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

// Threads only reads the number of threads, and does not change it.
func TestThreads(t *testing.T) {
	const want = 3
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(want)) // in case another test has changed it
	for range 2 {
		if got := Threads(); got != want {
			t.Errorf("%d threads, want %d", got, want)
		}
	}
	var running atomic.Int32
	Do(1, 100, func(i int) {
		if running.Add(1) > 1 {
			t.Errorf("piece %d is done with another one, on one thread", i)
		}
		for range 10 {
			runtime.Gosched()
		}
		running.Add(-1)
	})
	if got := runtime.GOMAXPROCS(want); got != want {
		t.Errorf("%d processors may be used then, want %d", got, want)
	}
}
