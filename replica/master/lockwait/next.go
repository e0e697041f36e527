package lockwait

import (
	"slices"

	"github.com/chubbycell/chubby/replica/api"
)

// Next returns the waiters whose turn it is, given how the lock is held now (0: it is free) and
// whether a lock-delay runs. The caller must propose their Acquires at once, in this order, and call
// Settle for each. A waiter that is attempted already counts as a holder, and is not returned again.
// A place that is kept for a handle that does not wait holds up no other; if its turn comes, it is
// lost.
func (q *Queues) Next(n api.Ref, held api.Mode, delayed bool) (turn []Waiter) {
	l, ok := q.queues[n]
	if !ok || delayed {
		return nil
	}
	tried := l.tried()
	for _, p := range slices.Clone(l.places) {
		switch {
		case p.away:
			if held == 0 || !held.HasConflict(p.Mode) {
				q.remove(p)
			}
			continue
		case held != 0 && held.HasConflict(p.Mode): // even if it is attempted: another handle was faster
			return turn
		case p.attempted:
		case tried != 0 && tried.HasConflict(p.Mode): // by one behind it, since p was away then
			return turn
		default:
			p.attempted = true
			turn = append(turn, p.Waiter)
		}
		held = p.Mode
	}
	return turn
}

// tried returns the mode in which waiters are attempted: all could hold the lock together (I-Q3). It is 0
// if none is.
func (l *queue) tried() (m api.Mode) {
	for _, p := range l.places {
		if p.attempted {
			m = p.Mode
		}
	}
	return m
}

// Settle takes in the outcome of the Acquire of an attempted waiter, once it is applied or the log has
// refused it. over says that the call is over: the handle holds the lock, or never will. The waiter
// leaves then, and is returned. Otherwise it keeps its place and may be attempted again. ok is false if
// the waiter left in the meantime.
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
