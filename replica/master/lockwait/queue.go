package lockwait

import (
	"fmt"
	"slices"

	"github.com/chubbycell/chubby/replica/api"
)

// Waiter is a blocked Acquire.
type Waiter struct {
	Lock    api.Ref
	Mode    api.Mode
	Session api.SessionID
	Handle  api.HandleID
	Seq     api.Seq // of the call
	Request uint64  // the newest duplicate of the call, which gets the answer
}

// Limits bound the memory of the queues. Each is at least 1.
type Limits struct {
	PerLock int
	Total   int
}

// DefaultLimits are the limits unless a cell is configured otherwise.
var DefaultLimits = Limits{PerLock: 1 << 14, Total: 1 << 17}

// Queues holds the waiters for all locks, in one epoch.
type Queues struct {
	limits Limits
	queues map[api.Ref]*queue
	places map[api.HandleID]*place
	away   int // places that are kept for handles that do not wait
}

// queue holds the waiters for one lock, the first in front.
type queue struct {
	places []*place
	away   int
}

type place struct {
	Waiter
	attempted bool // its Acquire is proposed and not settled
	away      bool // its Acquire was cancelled: the place is kept until the handle waits again
}

// New returns empty queues.
func New(l Limits) *Queues {
	return &Queues{limits: l, queues: map[api.Ref]*queue{}, places: map[api.HandleID]*place{}}
}

// Joining is the outcome of Join. The zero Joining is none of them.
type Joining uint8

// The joinings.
const (
	// Joined: it waits, behind all others or at the place that was kept for its handle.
	Joined Joining = 1 + iota
	// Again: a duplicate of the call already waits. It keeps its place, and this one is answered
	// instead.
	Again
	// Elsewhere: the handle already waits by another call, and a handle waits in one place only.
	Elsewhere
	// Full: the limits allow no more waiters.
	Full
)

// String prints the joining as traces do.
func (j Joining) String() string {
	if j < Joined || j > Full {
		return fmt.Sprintf("joining(%d)", uint8(j))
	}
	return [...]string{Joined: "joined", Again: "again", Elsewhere: "elsewhere", Full: "full"}[j]
}

// Join puts a waiter into the queue of its lock. Its Mode must be Valid.
func (q *Queues) Join(w Waiter) Joining {
	if p, ok := q.places[w.Handle]; ok && !p.away {
		if p.Session != w.Session || p.Seq != w.Seq || p.Lock != w.Lock || p.Mode != w.Mode {
			return Elsewhere
		}
		p.Request = w.Request
		return Again
	}
	l, ok := q.queues[w.Lock]
	if q.Len() >= q.limits.Total || ok && len(l.places)-l.away >= q.limits.PerLock {
		return Full
	}
	if p, kept := q.places[w.Handle]; kept {
		if p.Lock == w.Lock && p.Mode == w.Mode {
			p.Waiter = w
			q.setAway(p, false)
			return Joined
		}
		q.remove(p)
		l, ok = q.queues[w.Lock]
	}
	if !ok {
		l = &queue{}
		q.queues[w.Lock] = l
	}
	p := &place{Waiter: w}
	l.places = append(l.places, p)
	q.places[w.Handle] = p
	return Joined
}

// Find returns the waiter of a handle, if there is one, and whether it is attempted.
func (q *Queues) Find(h api.HandleID) (w Waiter, attempted, ok bool) {
	p, ok := q.places[h]
	if !ok || p.away {
		return Waiter{}, false, false
	}
	return p.Waiter, p.attempted, true
}

// Front returns the first waiter for a lock, and whether it is attempted.
func (q *Queues) Front(n api.Ref) (w Waiter, attempted, ok bool) {
	l, ok := q.queues[n]
	if !ok {
		return Waiter{}, false, false
	}
	i := slices.IndexFunc(l.places, func(p *place) bool { return !p.away })
	if i < 0 {
		return Waiter{}, false, false
	}
	return l.places[i].Waiter, l.places[i].attempted, true
}

// Attempted returns the mode in which waiters for a lock are attempted; 0 if none is.
func (q *Queues) Attempted(n api.Ref) api.Mode {
	if l, ok := q.queues[n]; ok {
		return l.tried()
	}
	return 0
}

// Leave removes the waiter of a handle, or the place that is kept for the handle. ok is true if there
// was a waiter. attempted says that its Acquire is proposed, so it may still get the lock.
func (q *Queues) Leave(h api.HandleID) (w Waiter, attempted, ok bool) {
	p, ok := q.places[h]
	if !ok {
		return Waiter{}, false, false
	}
	q.remove(p)
	return p.Waiter, p.attempted, !p.away
}

// StepAside removes the waiter of a handle whose Acquire was cancelled. Unless the waiter is attempted,
// its place is kept until its turn comes: the handle gets it if it waits for this lock in the same mode
// again.
func (q *Queues) StepAside(h api.HandleID) {
	switch p, ok := q.places[h]; {
	case !ok || p.away:
	case p.attempted:
		q.remove(p)
	default:
		q.setAway(p, true)
	}
}

func (q *Queues) setAway(p *place, away bool) {
	d := 1
	if !away {
		d = -1
	}
	p.away = away
	q.away += d
	q.queues[p.Lock].away += d
}

// Forget removes all waiters and kept places for a lock, and returns the waiters in order.
func (q *Queues) Forget(n api.Ref) (all []Waiter) {
	l, ok := q.queues[n]
	if !ok {
		return nil
	}
	for _, p := range slices.Clone(l.places) {
		q.remove(p)
		if !p.away {
			all = append(all, p.Waiter)
		}
	}
	return all
}

func (q *Queues) remove(p *place) {
	if p.away {
		q.away--
		q.queues[p.Lock].away--
	}
	delete(q.places, p.Handle)
	l := q.queues[p.Lock]
	i := slices.Index(l.places, p)
	l.places = slices.Delete(l.places, i, i+1)
	if len(l.places) == 0 {
		delete(q.queues, p.Lock)
	}
}

// FirstConflict returns the first waiter for a lock whose mode conflicts with this one. The handle but
// is left out.
func (q *Queues) FirstConflict(n api.Ref, but api.HandleID, with api.Mode) (w Waiter, ok bool) {
	l, ok := q.queues[n]
	if !ok {
		return Waiter{}, false
	}
	i := slices.IndexFunc(l.places, func(p *place) bool { return !p.away && p.Handle != but && p.Mode.HasConflict(with) })
	if i < 0 {
		return Waiter{}, false
	}
	return l.places[i].Waiter, true
}

// Waiting counts the waiters for a lock.
func (q *Queues) Waiting(n api.Ref) int {
	if l, ok := q.queues[n]; ok {
		return len(l.places) - l.away
	}
	return 0
}

// KeepsPlaces reports whether a place is kept for a handle that does not wait.
func (q *Queues) KeepsPlaces() bool { return q.away > 0 }

// Len counts all waiters.
func (q *Queues) Len() int { return len(q.places) - q.away }
