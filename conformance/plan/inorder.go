package plan

import (
	"runtime"
	"sync"
)

// InOrder does n pieces of work, jobs at a time. If jobs is 0, it does one on each processor. It calls done for one
// piece at a time, in order: all pieces before it are already done.
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
