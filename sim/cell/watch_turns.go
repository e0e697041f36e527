package cell

import (
	"slices"
	"time"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/client/session"
)

// turns are the programs of one client that want the lock of one handle: callers who
// share it exclude each other (package client), and are let in as soon as it neither has
// the lock nor asks for it (L1).
type turns struct {
	handle *client.Handle
	asks   []*client.Trail // of Acquires that have not ended; a zero one was not sent
	lock   held            // the last that was got, nil: none
	since  time.Duration   // from then on they wait for nobody, in true time; below 0: they do not
}

// begins is told that a program asks for the lock.
func (t *turns) begins(ask *client.Trail) { t.asks, t.since = append(t.asks, ask), -1 }

// ends is told that it does not any more.
func (t *turns) ends(ask *client.Trail) {
	t.asks = slices.DeleteFunc(t.asks, func(x *client.Trail) bool { return x == ask })
	t.since = -1
}

// look is told how the client is, which sends what it is asked to unless s says
// otherwise. A state that was there before, and in which nobody began or ended, stays.
func (t *turns) look(at time.Duration, s session.Status) fault {
	sent := func(ask *client.Trail) bool { return ask.Session != 0 }
	switch {
	case len(t.asks) == 0, !flows(s), s.Queued > 0, slices.ContainsFunc(t.asks, sent), t.lock != nil && !lost(t.lock):
		t.since = -1
	case t.since < 0:
		t.since = at
	case t.since < at:
		return faultf("L1", "has %d programs that wait for a handle of %s, by which nobody has the lock or asks for it for %v now", len(t.asks), t.handle.Name(), at-t.since)
	}
	return fault{}
}

// turnsOf are those of a handle of the client.
func (w *wire) turnsOf(h *client.Handle) *turns {
	i := slices.IndexFunc(w.turns, func(t *turns) bool { return t.handle == h })
	if i < 0 {
		i = len(w.turns)
		w.turns = append(w.turns, &turns{handle: h, since: -1})
	}
	return w.turns[i]
}

// turns are those of a handle that programs share, or may; nil where none do.
func (p *program) turns(o *opened) *turns {
	w := p.cell.promises.of(p.client)
	if w == nil || p.cell.plan.Calls.Share == 0 {
		return nil
	}
	return w.turnsOf(o.h)
}
