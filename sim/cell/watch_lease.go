package cell

import (
	"time"

	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/node"
	"github.com/chubbycell/chubby/sim"
)

// leaseWatch checks S7 and S7b, in true time: it looks at what replicas believe
// of leases, each by the reading of its own clock at this instant, and not by
// the instant that its process last acted on.
//
// Read authority begins, or is extended, only when its holder handles an input;
// then all others are asked (S7). A grant that a leader counts must be honoured
// for as long (S7b); so that is asked when the leader counts it anew, whether or not
// that moves the end of its authority, when the replica that gave it changes its mind,
// and at the very instant at which that replica's clock says it is over.
type leaseWatch struct {
	world   *sim.World
	onlyS7  bool
	parties []party // by id; the first is nobody
	seen    []leaseFacts

	renewals uint64            // times read authority was extended
	reads    node.ReadCounters // of the lives that are over
}

// party is a replica, as far as leases are concerned.
type party interface {
	// believes is nil while the process does not run.
	believes() beliefs
	clock() *sim.Clock
}

// beliefs are those of package paxos.
type beliefs interface {
	Lease() time.Time
	Counts(paxos.NodeID) time.Time
	Granted() (holder paxos.NodeID, until, silent time.Time)
}

// leaseFacts is what was last seen of a replica.
type leaseFacts struct {
	of     beliefs // this process's
	end    time.Time
	counts []time.Time // until when it counts each replica's grant, by id
	holder paxos.NodeID
	gen    uint64 // of the look at the end of its word that is under way
	due    bool   // there is one
}

func newLeaseWatch(w *sim.World, replicas int) *leaseWatch {
	l := &leaseWatch{world: w, parties: make([]party, replicas+1), seen: make([]leaseFacts, replicas+1)}
	for id := range l.seen {
		l.seen[id].counts = make([]time.Time, replicas+1)
	}
	return l
}

// acted is told that a replica has handled an input.
func (l *leaseWatch) acted(id paxos.NodeID) {
	f, b := &l.seen[id], l.parties[id].believes()
	if b == nil {
		return
	}
	if end := b.Lease(); !end.Equal(f.end) {
		f.end = end
		l.extended(id, b)
	}
	for member := paxos.NodeID(1); int(member) < len(l.parties); member++ {
		if until := b.Counts(member); !until.Equal(f.counts[member]) {
			f.counts[member] = until
			l.counts(id, member)
		}
	}
	holder, _, _ := b.Granted()
	if f.of != b || f.holder != holder {
		f.of, f.holder = b, holder
		l.honours(id)
	}
	if !f.due {
		l.await(id)
	}
}

// readAlone is told that a replica answered reads without the log, on an input
// for which it read its clock at now, with its rows at a slot (S7). It must have
// had read authority then, for an epoch that its own command began. Unless it
// stood still since, nobody was told of a later slot.
func (l *leaseWatch) readAlone(id paxos.NodeID, n *node.Node, now time.Time, told paxos.Slot) {
	left, applied := n.Lease().Sub(now), n.Status().Applied
	switch {
	case n.Serving() == nil:
		l.world.Break("S7", "replica %d answers reads alone, and no epoch of its own has begun", id)
	case left <= 0:
		l.world.Break("S7", "replica %d answers reads alone, and its read authority ended %v ago", id, -left)
	case applied < told && now.Equal(l.parties[id].clock().Mono()):
		l.world.Break("S7", "replica %d answers reads alone at slot %d, when clients were told of slot %d", id, applied, told)
	}
}

// extended: a replica's read authority ends later than it did (S7).
func (l *leaseWatch) extended(id paxos.NodeID, b beliefs) {
	if !l.parties[id].clock().Mono().Before(b.Lease()) {
		return
	}
	l.renewals++
	for other := paxos.NodeID(1); int(other) < len(l.parties); other++ {
		if left, ok := l.authority(other); ok && other != id {
			l.world.Break("S7", "replica %d has read authority for %v more, and replica %d for %v", id,
				b.Lease().Sub(l.parties[id].clock().Mono()), other, left)
		}
	}
}

// authority says for how long a replica has it, by its own clock.
func (l *leaseWatch) authority(id paxos.NodeID) (left time.Duration, ok bool) {
	b := l.parties[id].believes()
	if b == nil {
		return 0, false
	}
	left = b.Lease().Sub(l.parties[id].clock().Mono())
	return left, left > 0
}

// honours asks whether any leader counts on a replica that no longer keeps its
// word to it.
func (l *leaseWatch) honours(id paxos.NodeID) {
	for leader := paxos.NodeID(1); int(leader) < len(l.parties); leader++ {
		l.counts(leader, id)
	}
}

// counts checks S7b of one leader and one member. One that is down tells nobody
// anything, and one that is silent after a restart keeps every word it ever gave.
func (l *leaseWatch) counts(leader, member paxos.NodeID) {
	b, m := l.parties[leader].believes(), l.parties[member].believes()
	if b == nil || m == nil || l.onlyS7 {
		return
	}
	left := b.Counts(member).Sub(l.parties[leader].clock().Mono())
	if left <= 0 {
		return
	}
	now := l.parties[member].clock().Mono()
	holder, until, silent := m.Granted()
	if now.Before(silent) || holder == leader && now.Before(until) {
		l.outlasts(leader, member, b.Counts(member), later(until, silent))
		return
	}
	l.world.Break("S7b", "replica %d counts on replica %d for %v more, which has given its word to %d for %v and is silent for %v",
		leader, member, left, holder, until.Sub(now), silent.Sub(now))
}

// outlasts: if both clocks went on as they run now, which is within their bound,
// the member would keep its word for as long as the leader counts on it. So a word
// that is too short is seen when it is given, and not only if somebody lives to
// break it.
func (l *leaseWatch) outlasts(leader, member paxos.NodeID, counted, kept time.Time) {
	from, to := l.parties[leader].clock().TrueTime(counted), l.parties[member].clock().TrueTime(kept)
	if to < from {
		l.world.Break("S7b", "replica %d will count on replica %d for %v after that has kept its word", leader, member, from-to)
	}
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// await looks again when a replica's word is over by its clock as it runs now.
func (l *leaseWatch) await(id paxos.NodeID) {
	end, ok := l.wordEnds(id)
	f := &l.seen[id]
	f.gen++
	if f.due = ok; !ok {
		return
	}
	gen := f.gen
	l.world.After(max(l.parties[id].clock().TrueTime(end)-l.world.Now(), 0), func() {
		if f.gen == gen {
			l.honours(id)
			l.await(id)
		}
	})
}

// wordEnds is when a replica keeps no word any more; ok is false if it is so
// already.
func (l *leaseWatch) wordEnds(id paxos.NodeID) (end time.Time, ok bool) {
	b := l.parties[id].believes()
	if b == nil {
		return end, false
	}
	_, until, silent := b.Granted()
	end = later(until, silent)
	return end, l.parties[id].clock().Mono().Before(end)
}

// turned is told that a replica's clock runs at another rate.
func (l *leaseWatch) turned(id paxos.NodeID) {
	if l.seen[id].due {
		l.await(id)
	}
}

// add counts the reads of a life that is over.
func (l *leaseWatch) add(c node.ReadCounters) {
	l.reads.Alone += c.Alone
	l.reads.Logged += c.Logged
	l.reads.Drifted += c.Drifted
}
