package clients

import (
	"errors"
	"slices"
	"time"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/client/session"
)

// Turns are the programs of one client that want the lock of one handle: callers who
// share it exclude each other (package client), and are let in as soon as it neither has
// the lock nor asks for it (L1).
type Turns struct {
	handle *client.Handle
	asks   []*client.CallID // of Acquires that have not ended; a zero one was not sent
	lock   Lock             // the last that was got, nil: none
	since  time.Duration    // from then on they wait for nobody, in true time; below 0: they do not
}

// Begins is told that a program asks for the lock.
func (t *Turns) Begins(ask *client.CallID) { t.asks, t.since = append(t.asks, ask), -1 }

// Ends is told that it does not any more.
func (t *Turns) Ends(ask *client.CallID) {
	t.asks = slices.DeleteFunc(t.asks, func(x *client.CallID) bool { return x == ask })
	t.since = -1
}

// Got is told which lock a program has got by the handle.
func (t *Turns) Got(l Lock) { t.lock = l }

// look is told how the client is, which sends what it is asked to unless s says
// otherwise. A state that was there before, and in which nobody began or ended, stays.
func (t *Turns) look(at time.Duration, s session.Status) fault {
	sent := func(ask *client.CallID) bool { return ask.Session != 0 }
	switch {
	case len(t.asks) == 0, !flows(s), s.Queued > 0, slices.ContainsFunc(t.asks, sent), t.lock != nil && !Lost(t.lock):
		t.since = -1
	case t.since < 0:
		t.since = at
	case t.since < at:
		return faultf("L1", "has %d programs that wait for a handle of %s, by which nobody has the lock or asks for it for %v now", len(t.asks), t.handle.Name(), at-t.since)
	}
	return fault{}
}

// Lock is a lock as its holder sees it: a *client.Lock.
type Lock interface {
	Held() bool
	Err() error
}

// Lost says that a lock is not held any more, for good.
func Lost(l Lock) bool {
	return !l.Held() && l.Err() != nil && !errors.Is(l.Err(), client.ErrJeopardy)
}
