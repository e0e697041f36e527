package caches

import (
	"time"

	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/model"
)

// Drops sees what clients and masters say to one another of caches.
type Drops struct {
	world *sim.World
	lease time.Duration // the longest one
	calls map[model.Call]bool
	seats map[seat]*told

	// Counters, for reports and for situations that runs should reach.
	Cacheable, Told, All, Acked uint64
	Failovers                   uint64 // epochs that began while a session had yet to acknowledge a drop
	Capped                      uint64 // leases that were shorter than the longest, of sessions that had yet to acknowledge one
}

// seat is a session in an epoch. An epoch is of one life of one replica, and of its clock.
type seat struct {
	session api.SessionID
	epoch   api.Epoch
}

// told is what a session was told to drop in an epoch, and has not acknowledged.
type told struct {
	asks    bool // for answers that may be cached
	receipt map[uint64]time.Time
	since   map[api.EventNumber]time.Time // when each was told first
	owed    bool                          // there was one when a later epoch began
}

// NewDrops is one that has seen nothing, in a cell whose longest leases are of this length.
func NewDrops(w *sim.World, lease time.Duration) *Drops {
	return &Drops{world: w, lease: lease, calls: map[model.Call]bool{}, seats: map[seat]*told{}}
}

func (d *Drops) at(s api.SessionID, e api.Epoch) *told {
	k := seat{s, e}
	if d.seats[k] == nil {
		d.seats[k] = &told{receipt: map[uint64]time.Time{}, since: map[api.EventNumber]time.Time{}}
	}
	return d.seats[k]
}

// OnRequest is told of a request of the session's own client that has come to a replica, by
// its clock.
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
	for n := range t.since { // order-free: each goes by itself
		if n <= k.AckedEvents {
			delete(t.since, n)
			d.Acked++
		}
	}
}

// OnReply is told of an answer that leaves a replica, by its clock.
func (d *Drops) OnReply(id paxos.NodeID, now time.Time, p api.Reply) {
	t := d.at(p.Session, p.Epoch)
	if p.Cacheable {
		d.Cacheable++
		if !d.calls[model.Call{Session: p.Session, Seq: p.Seq}] {
			d.world.Break("S12", "replica %d lets session %d cache the answer to call %d, for which it did not ask", id, p.Session, p.Seq)
		}
	}
	l, leased := p.Detail.(api.Leased)
	if !leased || p.Code != api.OK {
		return
	}
	for i, e := range l.Events {
		if e.Kind.IsDrop() {
			d.tells(id, now, t, p.Session, l.LastEvent-api.EventNumber(len(l.Events)-1-i), e)
		}
	}
	receipt, known := t.receipt[p.ID]
	delete(t.receipt, p.ID)
	if since, owes := t.oldest(); owes && known {
		d.bounds(id, p.Session, since, receipt.Add(l.Lease))
	}
}

func (d *Drops) tells(id paxos.NodeID, now time.Time, t *told, s api.SessionID, n api.EventNumber, e api.Event) {
	if !t.asks && e.Kind != api.EventDropLocks { // those are for the holders of locks
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

// oldest is when a session was first told the oldest drop that it has yet to acknowledge.
func (t *told) oldest() (first time.Time, owes bool) {
	for _, at := range t.since { // order-free: the least
		if !owes || at.Before(first) {
			first, owes = at, true
		}
	}
	return first, owes
}

// bounds: a change waits for what a session has yet to drop for no longer than one lease, so
// nothing makes its lease longer meanwhile.
func (d *Drops) bounds(id paxos.NodeID, s api.SessionID, since, end time.Time) {
	d.Capped++
	if over := end.Sub(since.Add(d.lease)); over > 0 {
		d.world.Break("L1", "replica %d lets session %d live until %v after the longest lease since it was told to drop something, and it has not acknowledged that", id, s, over)
	}
}

// Owes says that a session was told in an epoch to drop something, and has not acknowledged that.
func (d *Drops) Owes(s api.SessionID, e api.Epoch) bool {
	t := d.seats[seat{s, e}]
	return t != nil && (t.owed || len(t.since) > 0)
}

// OnEpoch is told that an epoch begins: what was told before counts no more.
func (d *Drops) OnEpoch(e api.Epoch) {
	owes := false
	for k, t := range d.seats { // order-free: any one will do
		if k.epoch < e && len(t.since) > 0 {
			owes, t.owed = true, true
			clear(t.since)
		}
	}
	if owes {
		d.Failovers++
	}
}
