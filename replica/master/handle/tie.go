package handle

import (
	"cmp"

	"github.com/chubbycell/chubby/replica/api"
)

// Tie is the place of an Attach among all Attaches of a cell. The zero Tie is that of a
// handle without a sequencer, or with one from a token of version 1, which has no order.
type Tie struct {
	Epoch   api.Epoch // of the master that tied the handle
	Counter uint64    // among the ties of that master, from 1
}

// Compare orders ties by the time at which they were made.
func (t Tie) Compare(other Tie) int {
	return cmp.Or(cmp.Compare(t.Epoch, other.Epoch), cmp.Compare(t.Counter, other.Counter))
}

// isValid reports whether t is zero, or numbers a tie of a master.
func (t Tie) isValid() bool { return (t.Epoch == 0) == (t.Counter == 0) }

// updateTie takes over the sequencer that a token of the handle tells of, if that is the later
// tie. One that has no order only takes the place of none.
func (e *entry) updateTie(h Handle) {
	if later := e.Tie.Compare(h.Tie) < 0; later || e.Fence == (api.Sequencer{}) {
		e.Fence, e.Tie = h.Fence, h.Tie
	}
}

// Attach ties a handle to a sequencer, in place of an earlier one, and returns the
// token that says so: the client presents this one from now on, also to the next
// master. It changes nothing unless it is Good.
func (t *Table) Attach(s api.SessionID, token api.Token, q api.Sequencer) (api.Token, Verdict) {
	h, v := t.Use(s, token)
	if v != Good {
		return "", v
	}
	t.ties++
	e := t.sessions[s].open.get(h.ID)
	e.Fence, e.Tie = q, Tie{t.epoch, t.ties}
	return t.sealer.Seal(e.Handle), Good
}
