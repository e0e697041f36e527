package client

import (
	"slices"
	"sync"
)

// hub passes the events of sessions to all open Events of a Client.
type hub struct {
	rt   Runtime
	mu   sync.Mutex
	all  []*Events
	live int   // sessions that are alive, or may be followed by another
	end  error // why no events come any more; nil: they may
}

// Events returns a queue of events of the Client's sessions, in all cells, from now on. If the
// program is slow, the queue keeps only the last change of the session's state and the last
// fail-over of each cell. The queue ends with the Client: with ErrClosed when Client.Close returns,
// and with ErrSessionExpired after an EventExpired that leaves no cell to call. Close the queue
// when you no longer need it.
func (c *Client) Events() *Events {
	h := c.events
	e := &Events{rt: h.rt, shorten: lastOfEachCell}
	e.onClose = func() { h.remove(e) }
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.end != nil {
		e.end = h.end
		return e
	}
	h.all = append(h.all, e)
	return e
}

// finish ends all queues for this reason, unless they have ended already. Like publish, it returns
// functions that wake their readers.
func (h *hub) finish(why error) (fire []func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.end == nil {
		h.end = why
	}
	for _, e := range h.all {
		fire = append(fire, e.finish(h.end)...)
	}
	h.all = nil
	return fire
}

// onOver records that a session is over for this reason, and that no other follows it. When that
// holds for all cells, it ends the queues.
func (h *hub) onOver(why error) []func() {
	h.mu.Lock()
	h.live--
	last := h.live == 0
	h.mu.Unlock()
	if !last {
		return nil
	}
	return h.finish(why)
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

// lastOfEachCell keeps, for each cell, the last change of the session's state and the last
// fail-over: each says all that its predecessors said.
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
