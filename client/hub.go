package client

import (
	"slices"
	"sync"
)

// hub passes the events of sessions to all open Events of a Client.
type hub struct {
	rt  Runtime
	mu  sync.Mutex
	all []*Events
}

// Events returns a queue of what happens to the Client's sessions, in all cells, from now on. If
// the program is slow, of each cell only the last change of the session's state and the last
// fail-over remain. Close it after use.
func (c *Client) Events() *Events {
	h := c.events
	e := &Events{rt: h.rt, shorten: lastOfEachCell}
	e.onClose = func() { h.remove(e) }
	h.mu.Lock()
	defer h.mu.Unlock()
	h.all = append(h.all, e)
	return e
}

func (h *hub) remove(e *Events) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.all = slices.DeleteFunc(h.all, func(have *Events) bool { return have == e })
}

// publish appends the event to all queues. It returns functions that wake their readers; the
// caller runs them when it holds no mutex.
func (h *hub) publish(event Event) (fire []func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, e := range h.all {
		fire = append(fire, e.add(event)...)
	}
	return fire
}

// lastOfEachCell keeps, of each cell, the last change of the session's state and the last
// fail-over: each says all that those before it said.
func lastOfEachCell(waiting []Event) (kept []Event) {
	type subject struct {
		cell     string
		failover bool
	}
	last := map[subject]int{}
	for i, e := range waiting {
		last[subject{e.Cell, e.Kind == EventFailover}] = i
	}
	from := 0
	for i, e := range waiting {
		if last[subject{e.Cell, e.Kind == EventFailover}] == i {
			e.Missed += missed(waiting[from:i])
			kept = append(kept, e)
			from = i + 1
		}
	}
	return kept
}
