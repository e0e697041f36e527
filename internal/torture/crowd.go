package torture

import (
	"context"
	"sync"
	"time"
)

const (
	crowdSize = 32                     // reads under way at one time, of each client
	crowdFor  = 100 * time.Millisecond // until all are under way
	queueFor  = 30 * time.Millisecond  // the stop in which they queue
)

// crowd has all clients read a row as often as they can, until stop is called, which waits for their ends. The reads
// are in no history: S7 judges them by what the replicas record.
func crowd(ctx context.Context, clients []*session) (stop func()) {
	ctx, end := context.WithCancel(ctx)
	var wg sync.WaitGroup
	for _, s := range clients {
		for range crowdSize {
			wg.Go(func() {
				for ctx.Err() == nil {
					cl, life, err := s.client(ctx)
					if err != nil {
						return
					}
					if _, err = cl.Get(ctx, "crowd"); err != nil {
						s.met(life, err)
					}
				}
			})
		}
	}
	return func() { end(); wg.Wait() }
}
