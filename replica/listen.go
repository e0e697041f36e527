package replica

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/driver"
)

// MostListeners is how many Listeners a replica has at one time, at most.
const MostListeners = 16

// ErrListeners is what Listen returns when there are MostListeners.
var ErrListeners = errors.New("too many listen already")

// Listener hears events of a replica from Listen on. Close it after use.
type Listener struct {
	// C has the events, in the order in which they happened. It is closed behind EventStopped, and by
	// Close. One that is not read in time misses events, and is told how many.
	C <-chan Event

	r      *Replica
	c      chan Event
	missed uint64 // the loop's alone
}

// Listen returns a Listener with room for so many events; below 2 it is 2. While a replica has none,
// nothing is collected for one. It fails with ErrListeners, or when the replica has stopped or ctx
// ends.
func (r *Replica) Listen(ctx context.Context, room int) (*Listener, error) {
	l := &Listener{r: r, c: make(chan Event, max(2, room))}
	l.C = l.c
	var full bool
	err := r.ask(ctx, func(h *driver.Driver, now time.Time) {
		if full = len(r.events.listeners) >= MostListeners; full {
			return
		}
		if len(r.events.listeners) == 0 {
			h.Watch(true)
			r.events.last = r.picture(h, now)
		}
		r.events.listeners = append(r.events.listeners, l)
		p := r.events.last
		l.put(Event{At: time.Now(), Kind: EventState, Replica: p.ID, Role: p.Role, Leader: p.Leader, Epoch: p.epoch, Serving: &p.serving})
	})
	if full {
		err = ErrListeners
	}
	if err != nil {
		return nil, err
	}
	return l, nil
}

// Close ends the Listener. It may be called again.
func (l *Listener) Close() {
	_ = l.r.ask(context.Background(), func(h *driver.Driver, _ time.Time) { // an error: the loop has ended, and closed C
		e := &l.r.events
		i := slices.Index(e.listeners, l)
		if i < 0 {
			return
		}
		close(l.c)
		if e.listeners = slices.Delete(e.listeners, i, i+1); len(e.listeners) == 0 {
			h.Watch(false)
		}
	})
}

// put hands over an event, if there is room.
func (l *Listener) put(e Event) {
	if l.missed > 0 {
		select {
		case l.c <- Event{At: e.At, Kind: EventDropped, Replica: e.Replica, Count: l.missed}:
			l.missed = 0
		default:
		}
	}
	if l.missed == 0 {
		select {
		case l.c <- e:
			return
		default:
		}
	}
	l.missed++
}

// events are the Listeners, and how the replica was when they were told last. The loop owns them.
type events struct {
	listeners []*Listener
	last      picture
	resigned  bool // it was told to resign, since last
}

// picture is what is compared to find out what happened.
type picture struct {
	paxos.Status
	epoch    api.Epoch // in which it serves, or else the newest
	serving  bool
	leased   bool
	snapshot paxos.Slot
	failed   uint64
	silent   uint64 // members that have not answered, by their place among all
}

// isLeader reports whether the replica leads: it may have a lease then, and hears from the members.
func (p *picture) isLeader() bool { return p.Role == paxos.Leader }

// silentAfter is how long a member may leave the leader without an answer: the leader asks several
// times a second.
const silentAfter = 3 * time.Second

func (r *Replica) picture(h *driver.Driver, now time.Time) (p picture) {
	c := h.Core()
	if c == nil {
		return p
	}
	p.Status = c.Status()
	p.epoch = c.Master().Epoch
	if s := c.Serving(); s != nil {
		p.serving, p.epoch = true, s.Epoch
	}
	p.leased = p.isLeader() && c.Lease().After(now)
	p.snapshot, p.failed = h.SnapshotSlot(), h.Counters().SnapshotsFailed
	if !p.isLeader() {
		return p
	}
	for i, id := range r.cfg.Driver.Core.Paxos.Members {
		if at := c.HeardAt(id); id != p.ID && !at.IsZero() && now.Sub(at) > silentAfter {
			p.silent |= 1 << i
		}
	}
	return p
}
