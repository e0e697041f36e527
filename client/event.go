package client

import (
	"context"
	"slices"
	"sync"

	"github.com/chubbycell/chubby/client/session"
	"github.com/chubbycell/chubby/replica/api"
)

// Event reports a change of a session that no call of the program caused.
type Event struct {
	Cell  string // the cell's name as given to WithName or WithCells, or "local"
	Kind  EventKind
	Epoch api.Epoch // of an EventFailover: the epoch of the new master
	// Missed is the number of events before this one that were dropped because the program did
	// not take them in time.
	Missed int
}

// EventKind is the kind of an Event.
type EventKind = session.EventKind

// The kinds of events (C9.03, C9.06).
const (
	// EventJeopardy: the session's lease may be over. Calls wait, and Lock.Held returns false,
	// until EventSafe or EventExpired. Stop acting on locks.
	EventJeopardy = session.EventJeopardy
	// EventSafe: jeopardy has ended and the session is alive. All handles and locks are as
	// before.
	EventSafe = session.EventSafe
	// EventExpired: the session is over, and with it all its handles and locks.
	EventExpired = session.EventExpired
	// EventFailover: the cell has a new master. Handles and locks remain valid.
	EventFailover = session.EventFailover
)

// maxEvents bounds the events that wait in an Events. Beyond it the oldest is dropped.
const maxEvents = 64

// Events is a queue of a Client's events, of all cells. A Client never waits for the program to
// take them: at most 64 are kept.
type Events struct {
	hub     *hub
	queue   []Event
	missed  int
	waiters []Signal
	closed  bool
}

// hub passes events to all open Events of a Client.
type hub struct {
	rt  Runtime
	mu  sync.Mutex
	all []*Events
}

// Events returns a queue of the events from now on. Close it after use.
func (c *Client) Events() *Events {
	h := c.events
	h.mu.Lock()
	defer h.mu.Unlock()
	e := &Events{hub: h}
	h.all = append(h.all, e)
	return e
}

// Next blocks until there is an event, and takes the oldest. It fails with ErrClosed when the
// Events is closed and empty, and with the context's error if ctx ends first.
func (e *Events) Next(ctx context.Context) (Event, error) {
	for {
		got, signal := e.take()
		if got != nil {
			return *got, nil
		}
		if signal == nil {
			return Event{}, &Error{Op: "event", Causes: []error{ErrClosed}}
		}
		if _, err := e.hub.rt.Wait(ctx, signal); err != nil {
			e.removeWaiter(signal)
			return Event{}, &Error{Op: "event", Causes: contextCauses(ctx, err)}
		}
	}
}

// take returns the oldest event, or else a signal that fires when there is one, or neither if
// there will be none.
func (e *Events) take() (*Event, Signal) {
	e.hub.mu.Lock()
	defer e.hub.mu.Unlock()
	if len(e.queue) > 0 {
		got := e.queue[0]
		e.queue = slices.Delete(e.queue, 0, 1)
		got.Missed, e.missed = e.missed, 0
		return &got, nil
	}
	if e.closed {
		return nil, nil
	}
	s := e.hub.rt.NewSignal()
	e.waiters = append(e.waiters, s)
	return nil, s
}

func (e *Events) removeWaiter(s Signal) {
	e.hub.mu.Lock()
	defer e.hub.mu.Unlock()
	e.waiters = slices.DeleteFunc(e.waiters, func(have Signal) bool { return have == s })
}

// Close ends the queue. Next still returns the events that are in it.
func (e *Events) Close() {
	e.hub.mu.Lock()
	e.closed = true
	e.hub.all = slices.DeleteFunc(e.hub.all, func(have *Events) bool { return have == e })
	waiting := e.waiters
	e.waiters = nil
	e.hub.mu.Unlock()
	for _, s := range waiting {
		s.Fire()
	}
}

// publish appends the event to all queues. It returns functions that wake their readers; the
// caller runs them when it holds no mutex.
func (h *hub) publish(event Event) []func() {
	h.mu.Lock()
	defer h.mu.Unlock()
	var fire []func()
	for _, e := range h.all {
		if len(e.queue) == maxEvents {
			e.queue = slices.Delete(e.queue, 0, 1)
			e.missed++
		}
		e.queue = append(e.queue, event)
		for _, s := range e.waiters {
			fire = append(fire, s.Fire)
		}
		e.waiters = nil
	}
	return fire
}
