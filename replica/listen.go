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

// MostListeners is the largest number of Listeners that a replica has at one time.
const MostListeners = 16

// ErrListeners is returned by Listen if the replica has MostListeners already.
var ErrListeners = errors.New("too many listen already")

// Listener gets the events of a replica that happen after Listen. Close it after use.
type Listener struct {
	// C carries the events, in the order in which they happened. It is closed after EventStopped, and
	// by Close. If C is full, events are left out, and an EventDropped tells their number.
	C <-chan Event

	r      *Replica
	c      chan Event
	missed uint64 // events left out since the last one that was put into c; only the loop uses it
}

// Listen returns a Listener whose channel has room for so many events, at least 2. While a replica has
// no Listener, it collects no events. Listen returns ErrListeners, ErrStopped if the replica has ended,
// or the cause of ctx if ctx ends first.
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

// Close ends the Listener and closes C. It may be called more than once.
func (l *Listener) Close() {
	_ = l.r.ask(context.Background(), func(h *driver.Driver, _ time.Time) { // an error says that the loop has ended; it has closed C
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

// put hands over an event if there is room, after an EventDropped if some are missing. The loop calls it.
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

// events holds the Listeners, and the state of the replica when they were last told. The loop owns it.
type events struct {
	listeners []*Listener
	last      picture
	resigned  bool // the replica was told to resign since last
}

// picture is the state of a replica. Two of them are compared to find out what happened in between.
type picture struct {
	paxos.Status
	epoch    api.Epoch // in which it serves; if it does not, the newest
	serving  bool
	leased   bool
	snapshot paxos.Slot
	failed   uint64
	silent   uint64 // bit i: member i of Config has not answered this leader for silentAfter
}

// isLeader reports whether the replica leads. Only a leader can have a lease and hears from the members.
func (p *picture) isLeader() bool { return p.Role == paxos.Leader }

// silentAfter is how long a member may leave the leader without an answer before it counts as silent.
// The leader sends to it several times a second.
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
