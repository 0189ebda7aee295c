package plan

import (
	"runtime"
	"sync"
)

// InOrder does n pieces of work, with at most the given number of concurrent jobs. If jobs is 0, it uses one job for
// each processor. When a piece and all earlier ones are complete, it calls the function done for the piece. It makes
// these calls one after the other, in order.
func InOrder(n, jobs int, do, done func(i int)) {
	if jobs <= 0 {
		jobs = runtime.GOMAXPROCS(0)
	}
	var (
		group sync.WaitGroup
		mu    sync.Mutex
		ended = make([]bool, n)
		told  int
	)
	slots := make(chan struct{}, jobs)
	for i := range n {
		slots <- struct{}{}
		group.Go(func() {
			defer func() { <-slots }()
			do(i)
			mu.Lock()
			defer mu.Unlock()
			ended[i] = true
			for ; told < n && ended[told]; told++ {
				done(told)
			}
		})
	}
	group.Wait()
}
