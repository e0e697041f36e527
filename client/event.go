package client

import (
	"context"
	"slices"
	"sync"

	"github.com/chubbycell/chubby/client/session"
	"github.com/chubbycell/chubby/replica/api"
)

// Event is something that happened to a session by itself.
type Event struct {
	Cell  string // by its own name, if it has one
	Kind  EventKind
	Epoch api.Epoch // of an EventFailover: of the new master
	// Missed counts the events before this one that its Events dropped because
	// nobody took them.
	Missed int
}

// EventKind says what happened.
type EventKind = session.EventKind

// The kinds of events (C9.03, C9.06).
const (
	// EventJeopardy: the session may be gone. Calls wait, and no Lock is Held, until
	// EventSafe or EventExpired.
	EventJeopardy = session.EventJeopardy
	// EventSafe: the session was not gone. Nothing was lost.
	EventSafe = session.EventSafe
	// EventExpired: the session is gone, with all its handles and locks.
	EventExpired = session.EventExpired
	// EventFailover: the cell has a new master. Handles and locks go on.
	EventFailover = session.EventFailover
)

// maxEvents bounds the events that wait to be taken. Then the oldest is dropped.
const maxEvents = 64

// Events are the events of a Client since they were asked for, to be taken one by
// one. Nobody has to: a Client never waits for it.
type Events struct {
	hub     *hub
	queue   []Event
	missed  int
	waiting []Signal
	closed  bool
}

// hub hands events to those who asked for them.
type hub struct {
	rt  Runtime
	mu  sync.Mutex
	all []*Events
}

// Events returns the events from now on. Close it when it is of no more use.
func (c *Client) Events() *Events {
	h := c.events
	h.mu.Lock()
	defer h.mu.Unlock()
	e := &Events{hub: h}
	h.all = append(h.all, e)
	return e
}

// Next waits for the next event and takes it. It fails with ErrClosed after Close,
// and with the cause when ctx ends.
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
			e.forget(signal)
			return Event{}, &Error{Op: "event", Causes: reasons(ctx, err)}
		}
	}
}

// take returns the oldest event, or the signal that fires when there is one, or
// neither when there will be none.
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
	e.waiting = append(e.waiting, s)
	return nil, s
}

func (e *Events) forget(s Signal) {
	e.hub.mu.Lock()
	defer e.hub.mu.Unlock()
	e.waiting = slices.DeleteFunc(e.waiting, func(have Signal) bool { return have == s })
}

// Close ends the events; those that were not taken still can be.
func (e *Events) Close() {
	e.hub.mu.Lock()
	e.closed = true
	e.hub.all = slices.DeleteFunc(e.hub.all, func(have *Events) bool { return have == e })
	waiting := e.waiting
	e.waiting = nil
	e.hub.mu.Unlock()
	for _, s := range waiting {
		s.Fire()
	}
}

// publish gives an event to all, and returns what is to be done when no lock is
// held any more.
func (h *hub) publish(event Event) []func() {
	h.mu.Lock()
	defer h.mu.Unlock()
	var later []func()
	for _, e := range h.all {
		if len(e.queue) == maxEvents {
			e.queue = slices.Delete(e.queue, 0, 1)
			e.missed++
		}
		e.queue = append(e.queue, event)
		for _, s := range e.waiting {
			later = append(later, s.Fire)
		}
		e.waiting = nil
	}
	return later
}
