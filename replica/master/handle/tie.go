package handle

import (
	"cmp"

	"github.com/chubbycell/chubby/replica/api"
)

// Tie is the place of an Attach in the order of all Attaches of a cell. It is zero for a handle
// without a sequencer, and for one whose sequencer comes from a token of version 1.
type Tie struct {
	Epoch   api.Epoch // of the master that tied the handle
	Counter uint64    // among the ties of that master, from 1
}

// Compare orders ties by when they were made.
func (t Tie) Compare(other Tie) int {
	return cmp.Or(cmp.Compare(t.Epoch, other.Epoch), cmp.Compare(t.Counter, other.Counter))
}

// isValid reports whether t is zero, or both of its numbers are set.
func (t Tie) isValid() bool { return (t.Epoch == 0) == (t.Counter == 0) }

// updateTie takes over the sequencer of h, which is from a token of this handle, if its tie is later. A
// sequencer without a tie is taken over only if the handle has no sequencer.
func (e *entry) updateTie(h Handle) {
	if later := e.Tie.Compare(h.Tie) < 0; later || e.Fence == (api.Sequencer{}) {
		e.Fence, e.Tie = h.Fence, h.Tie
	}
}

// Attach ties an open handle to a sequencer, in place of an earlier one, and returns the new token. The
// client uses that token from now on, with later masters too. If the verdict is not Good, nothing has
// changed.
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
