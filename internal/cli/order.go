package cli

import (
	"context"
	"runtime"
	"sync"
)

// InOrder calls work for 0 to n-1 on so many goroutines (0: one a processor), but on
// no more than n, and gives the results to each in that order, one at a time. When ctx ends, no work
// is begun any more; it returns when all work under way has ended. A panic of
// work or each ends its goroutine, and is the caller's in the end.
func InOrder[T any](ctx context.Context, jobs int, n uint64, work func(i uint64) T, each func(T)) {
	if jobs <= 0 {
		jobs = runtime.GOMAXPROCS(0)
	}
	var mu sync.Mutex
	var thrown Panics
	var next, told uint64
	ready := map[uint64]T{}
	take := func() (uint64, bool) {
		mu.Lock()
		defer mu.Unlock()
		if next == n || ctx.Err() != nil {
			return 0, false
		}
		next++
		return next - 1, true
	}
	give := func(i uint64, r T) {
		mu.Lock()
		defer mu.Unlock()
		ready[i] = r
		for r, ok := ready[told]; ok; r, ok = ready[told] {
			delete(ready, told)
			told++
			each(r)
		}
	}
	var workers sync.WaitGroup
	for range min(uint64(jobs), n) {
		workers.Go(func() {
			thrown.Guard(func() {
				for i, ok := take(); ok; i, ok = take() {
					give(i, work(i))
				}
			})
		})
	}
	workers.Wait()
	thrown.Rethrow()
}
