package bench

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

// phases of a row.
const (
	warming int32 = iota
	measuring
	stopping
)

// pauseAfterError is how long a client waits after an operation that failed.
const pauseAfterError = 10 * time.Millisecond

// load is clients in a closed loop.
type load struct {
	phase atomic.Int32
	gaps  gaps
	most  uint64 // operations, with those that fail, after which all end; 0: no bound
	made  atomic.Uint64
	full  chan struct{} // closed when there are so many

	mu     sync.Mutex
	all    latencies
	errors uint64
	first  error
}

// drive runs the operations side by side, one a client, until ctx ends or the time is over,
// and returns how long it measured. begin and end are called at the ends of what is measured.
// An operation counts if it is answered in between. Operations under way at the end are
// waited for within patience.
func (l *load) drive(ctx context.Context, ops []operation, warm, measure, patience time.Duration, begin, end func()) time.Duration {
	calls, cancel := context.WithCancel(ctx)
	defer cancel()
	var wg sync.WaitGroup
	l.full = make(chan struct{})
	for _, op := range ops {
		wg.Go(func() { l.client(ctx, calls, op) })
	}
	pass(ctx, warm)
	begin()
	begun := time.Now()
	l.gaps.begin(begun)
	l.phase.Store(measuring)
	enough, stop := context.WithCancel(ctx)
	go func() {
		defer stop()
		select {
		case <-l.full:
		case <-enough.Done():
		}
	}()
	pass(enough, measure)
	stop()
	l.phase.Store(stopping)
	took := time.Since(begun)
	l.gaps.note(begun.Add(took))
	end()
	late := time.AfterFunc(patience, cancel)
	defer late.Stop()
	wg.Wait()
	return took
}

// pass returns when the time is over, or ctx ends.
func pass(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
	case <-t.C:
	}
}

// client makes one operation after the other. calls ends with ctx, or when patience does: what
// has no answer then has failed.
func (l *load) client(ctx, calls context.Context, op operation) {
	own := new(latencies)
	var failed uint64
	var first error
	for l.phase.Load() != stopping && ctx.Err() == nil {
		begun := time.Now()
		err := op(calls)
		took := time.Since(begun)
		switch {
		case err != nil && ctx.Err() == nil:
			if failed++; first == nil {
				first = err
			}
			l.count()
			pass(ctx, pauseAfterError)
		case err == nil && l.phase.Load() == measuring:
			own.add(took)
			l.gaps.note(begun.Add(took))
			l.count()
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all.merge(own)
	l.errors += failed
	if l.first == nil {
		l.first = first
	}
}

// count notes an operation, and ends the row after the last one that is wanted.
func (l *load) count() {
	if l.phase.Load() == measuring && l.made.Add(1) == l.most {
		close(l.full)
	}
}
