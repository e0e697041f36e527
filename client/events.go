package client

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"sync"
)

// maxEvents bounds the events that wait in an Events. Beyond it, waiting events are left out or
// replaced by fewer that say as much.
const maxEvents = 64

// Events is a queue of events, either of the sessions of a Client or of one handle. A Client never
// waits for the program to take them. If the program is slow, the queue stays short, and the
// remaining events stand for those left out. All methods are safe for concurrent use.
type Events struct {
	rt   Runtime
	what string // the node that the events are about; empty: sessions
	// shorten replaces events by fewer that say as much.
	shorten func(waiting []Event) []Event
	onClose func()

	mu      sync.Mutex
	queue   []Event
	end     error // why there will be no more; nil: there may be
	silent  error // why there are none for now
	waiters []Signal
}

// errNoEvents is the error of Events on a handle that asked for none.
var errNoEvents = fmt.Errorf("%w: the handle asked for no events: set OpenOptions.Events", ErrInvalid)

// Next blocks until there is an event, and takes the oldest. When no more events will come, Next
// returns the remaining ones and then fails with the reason: ErrClosed if the Events, its handle or its
// Client was closed, ErrGone after the EventInvalid of a deletion, ErrPoisoned, or ErrSessionExpired.
// The events of a handle fail with ErrNoLeases while the cell gives no session leases: there are no
// KeepAlives that could carry events. If ctx ends first, Next fails with its error.
func (e *Events) Next(ctx context.Context) (Event, error) { return e.next(ctx, context.Background()) }

// next is Next for a reader that takes no event any more when until has ended.
func (e *Events) next(ctx, until context.Context) (Event, error) {
	for {
		got, signal, err := e.take(until)
		switch {
		case err != nil:
			return Event{}, &Error{Op: "event", Key: e.what, Causes: []error{err}}
		case signal == nil:
			return got, nil
		}
		if _, err := e.rt.Wait(ctx, signal); err != nil {
			e.removeWaiter(signal)
			return Event{}, &Error{Op: "event", Key: e.what, Causes: contextCauses(ctx, err)}
		}
	}
}

// All iterates over the events, as Next returns them. It yields the error that ends them last, with
// the zero Event.
func (e *Events) All(ctx context.Context) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		for {
			got, err := e.Next(ctx)
			if !yield(got, err) || err != nil {
				return
			}
		}
	}
}

// Each calls f for every event, one after the other, on a new thread of control of the Runtime.
// stop, and the end of ctx, end it: f is not called for events that still wait, and other readers of the
// queue get them. stop does not wait for a call of f that has begun. Without stop, the calls end when no
// more events will come.
func (e *Events) Each(ctx context.Context, f func(Event)) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	e.rt.Go("events of "+e.what, func() {
		defer cancel()
		for {
			event, err := e.next(ctx, ctx)
			if err != nil {
				return
			}
			f(event)
		}
	})
	return cancel
}

// take returns the oldest event, or else why there is none, or else a signal that fires when that
// may have changed. It leaves the events to others if until has ended.
func (e *Events) take(until context.Context) (Event, Signal, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	switch {
	case until.Err() != nil:
		return Event{}, nil, until.Err()
	case len(e.queue) > 0:
		got := e.queue[0]
		e.queue = slices.Delete(e.queue, 0, 1)
		return got, nil, nil
	case e.end != nil:
		return Event{}, nil, e.end
	case e.silent != nil:
		return Event{}, nil, e.silent
	}
	s := e.rt.NewSignal()
	e.waiters = append(e.waiters, s)
	return Event{}, s, nil
}

func (e *Events) removeWaiter(s Signal) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.waiters = slices.DeleteFunc(e.waiters, func(have Signal) bool { return have == s })
}

// Close ends the queue. Next still returns the events that are in it.
func (e *Events) Close() {
	fire := e.finish(ErrClosed)
	if e.onClose != nil {
		e.onClose()
	}
	run(fire)
}

// add appends an event. Like the methods below, it returns functions that wake readers; the caller
// runs them when it holds no mutex.
func (e *Events) add(event Event) []func() {
	return e.change(func() {
		if e.end != nil {
			return
		}
		if len(e.queue) >= maxEvents {
			e.queue = e.shorten(e.queue)
		}
		e.queue = append(e.queue, event)
	})
}

// finish ends the queue for this reason, unless it has ended already.
func (e *Events) finish(why error) []func() {
	return e.change(func() {
		if e.end == nil {
			e.end = why
		}
	})
}

// setSilent records why no events come for now; nil: they come.
func (e *Events) setSilent(why error) []func() { return e.change(func() { e.silent = why }) }

func (e *Events) change(f func()) (fire []func()) {
	e.mu.Lock()
	defer e.mu.Unlock()
	f()
	if len(e.queue) == 0 && e.end == nil && e.silent == nil {
		return nil
	}
	for _, s := range e.waiters {
		fire = append(fire, s.Fire)
	}
	e.waiters = nil
	return fire
}

func run(all []func()) {
	for _, f := range all {
		f()
	}
}

// missed returns the number of events that the given events stand for.
func missed(all []Event) (n int) {
	for _, e := range all {
		n += 1 + e.Missed
	}
	return n
}
