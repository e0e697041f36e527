package lockwait

import (
	"slices"

	"github.com/chubbycell/chubby/replica/api"
)

// Next returns the waiters whose turn it is, given how the lock is held now (0: free) and
// whether a lock-delay is running: their Acquires are to be proposed at once, in this
// order, and Settle is owed for each. A waiter that is attempted already counts as if it
// held the lock, and is not returned again. A place that is kept for a handle that does not wait holds
// up no other; when its turn has come it is lost.
func (q *Queues) Next(n api.Ref, held api.Mode, delayed bool) (turn []Waiter) {
	l, ok := q.queues[n]
	if !ok || delayed {
		return nil
	}
	for _, p := range slices.Clone(l.places) {
		switch {
		case p.away:
			if held == 0 || !held.HasConflict(p.Mode) {
				q.remove(p)
			}
			continue
		case held != 0 && held.HasConflict(p.Mode): // also where it is attempted: another handle was faster
			return turn
		case p.attempted:
		default:
			p.attempted = true
			turn = append(turn, p.Waiter)
		}
		held = p.Mode
	}
	return turn
}

// Settle tells what became of the Acquire of a waiter that was attempted, once it is
// applied. If its call is over, because it holds the lock or never will, the
// waiter leaves, and is returned to be answered. Else it keeps its place and may be
// attempted again. ok is false if the waiter left in the meantime.
func (q *Queues) Settle(h api.HandleID, seq api.Seq, over bool) (w Waiter, ok bool) {
	p, ok := q.places[h]
	if !ok || p.Seq != seq || !p.attempted {
		return Waiter{}, false
	}
	p.attempted = false
	if over {
		q.remove(p)
	}
	return p.Waiter, true
}
