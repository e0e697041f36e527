package caches

import (
	"time"

	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/model"
)

// Drops checks the messages about caches between clients and masters.
type Drops struct {
	world *sim.World
	lease time.Duration // the longest lease
	calls map[model.Call]bool
	seats map[seat]*drops

	// Counters, for reports and for situations that runs should reach.
	Cacheable, Told, All, Acked uint64
	Failovers                   uint64 // counts epochs that began while a session had a drop to acknowledge
	Flushed                     uint64 // counts sessions that had been given something to cache when a later epoch began
	Capped                      uint64 // counts leases told to sessions that had a drop to acknowledge
}

// seat is a session in an epoch. An epoch belongs to one life of one replica, and to its
// clock.
type seat struct {
	session api.SessionID
	epoch   api.Epoch
}

// drops is what a session was told to drop in an epoch and has not acknowledged.
type drops struct {
	asks    bool // it asked for answers that may be cached
	keeps   bool // it was given one, and no later epoch has begun
	receipt map[uint64]time.Time
	since   map[api.EventNumber]time.Time // when each was first told
	owed    bool                          // there was one when a later epoch began
	sent    api.EventNumber               // the last event that was sent
	acked   api.EventNumber               // the last event that is acknowledged
	unread  api.EventNumber               // the last event of an answer that repeated one; 0: acknowledged
}

// NewDrops returns a checker that has seen nothing; lease is the longest lease of its cell.
func NewDrops(w *sim.World, lease time.Duration) *Drops {
	return &Drops{world: w, lease: lease, calls: map[model.Call]bool{}, seats: map[seat]*drops{}}
}

func (d *Drops) at(s api.SessionID, e api.Epoch) *drops {
	k := seat{s, e}
	if d.seats[k] == nil {
		d.seats[k] = &drops{receipt: map[uint64]time.Time{}, since: map[api.EventNumber]time.Time{}}
	}
	return d.seats[k]
}

// OnRequest reports a request of the session's own client that reaches a replica; now is by
// the replica's clock.
func (d *Drops) OnRequest(now time.Time, q api.Request) {
	t := d.at(q.Session, q.Epoch)
	if q.MayCache {
		d.calls[model.Call{Session: q.Session, Seq: q.Seq}] = true
		t.asks = true
	}
	k, keeps := q.Op.(api.KeepAlive)
	if !keeps {
		return
	}
	t.receipt[q.ID] = now
	t.acked = max(t.acked, min(k.AckedEvents, t.sent))
	if k.AckedEvents >= t.unread {
		t.unread = 0
	}
	for n := range t.since { // order-free: each by itself
		if n <= k.AckedEvents {
			delete(t.since, n)
			d.Acked++
		}
	}
}

// OnReply reports an answer that leaves a replica; now is by the replica's clock.
func (d *Drops) OnReply(id paxos.NodeID, now time.Time, p api.Reply) {
	t := d.at(p.Session, p.Epoch)
	if p.Cacheable {
		d.Cacheable++
		t.keeps = true
		if !d.calls[model.Call{Session: p.Session, Seq: p.Seq}] {
			d.world.Break("S12", "replica %d lets session %d cache the answer to call %d, for which it did not ask", id, p.Session, p.Seq)
		}
	}
	l, leased := p.Detail.(api.Leased)
	if !leased || p.Code != api.OK {
		return
	}
	// An answer to a repeated KeepAlive may leave after the next KeepAlive has come: what it carries may be
	// acknowledged by then.
	if n := api.EventNumber(len(l.Events)); n > 0 && l.LastEvent > t.acked {
		if l.LastEvent-n < t.sent {
			t.unread = l.LastEvent
		}
		t.sent = max(t.sent, l.LastEvent)
	}
	for i, e := range l.Events {
		if n := l.LastEvent - api.EventNumber(len(l.Events)-1-i); e.Kind.IsDrop() && n > t.acked {
			d.onDrop(id, now, t, p.Session, n, e)
		}
	}
	receipt, known := t.receipt[p.ID]
	delete(t.receipt, p.ID)
	if since, owes := t.oldest(); owes && known {
		d.checkLease(id, p.Session, since, receipt.Add(l.Lease))
	}
}

func (d *Drops) onDrop(id paxos.NodeID, now time.Time, t *drops, s api.SessionID, n api.EventNumber, e api.Event) {
	if !t.asks && e.Kind != api.EventDropLocks { // these go to the holders of locks
		d.world.Break("S12", "replica %d tells session %d to drop %v, which has asked for nothing that may be cached", id, s, e.Node.Path)
	}
	if _, again := t.since[n]; again {
		return
	}
	t.since[n] = now
	d.Told++
	if e.Kind == api.EventDropAll {
		d.All++
	}
}

// oldest returns when the session was first told its oldest unacknowledged drop.
func (t *drops) oldest() (first time.Time, owes bool) {
	for _, at := range t.since { // order-free: the least
		if !owes || at.Before(first) {
			first, owes = at, true
		}
	}
	return first, owes
}

// checkLease: a change waits for at most one lease until a session drops something, so
// nothing may extend the session's lease meanwhile.
func (d *Drops) checkLease(id paxos.NodeID, s api.SessionID, since, end time.Time) {
	d.Capped++
	if over := end.Sub(since.Add(d.lease)); over > 0 {
		d.world.Break("L1", "replica %d lets session %d live until %v after the longest lease since it was told to drop something, and it has not acknowledged that", id, s, over)
	}
}

// Owes reports whether a session was told in an epoch to drop something, and has not
// acknowledged that, or was sent events again that it has not acknowledged: then a drop may
// wait behind them.
func (d *Drops) Owes(s api.SessionID, e api.Epoch) bool {
	t := d.seats[seat{s, e}]
	return t != nil && (t.owed || t.owes())
}

func (t *drops) owes() bool { return len(t.since) > 0 || t.unread > 0 }

// OnEpoch reports that an epoch begins: earlier drops need not be acknowledged any more.
func (d *Drops) OnEpoch(e api.Epoch) {
	owes := false
	for k, t := range d.seats { // order-free: any one suffices
		if k.epoch < e && t.keeps {
			t.keeps = false
			d.Flushed++
		}
		if k.epoch < e && t.owes() {
			owes, t.owed = owes || len(t.since) > 0, true
			t.unread = 0
			clear(t.since)
		}
	}
	if owes {
		d.Failovers++
	}
}
