package leases

import (
	"time"

	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/core"
	"github.com/chubbycell/chubby/sim"
)

// Checker checks S7 and S7b, in true time: it looks at what replicas believe
// of leases, each by the reading of its own clock at this instant, and not by
// the instant that its process last acted on.
//
// Read authority begins, or is extended, only when its holder handles an input;
// then all others are asked (S7). A grant that a leader counts must be honoured
// for as long (S7b); so that is asked when the leader counts it anew, whether or not
// that moves the end of its authority, when the replica that gave it changes its mind,
// and at the very instant at which that replica's clock says it is over.
type Checker struct {
	world   *sim.World
	OnlyS7  bool
	Parties []Party // by id; the first is unused
	Seen    []leaseFacts

	Renewals uint64            // times read authority was extended
	Reads    core.ReadCounters // of the lives that are over
}

// Party is a replica, as far as leases are concerned.
type Party interface {
	// Believes is nil while the process does not run.
	Believes() Beliefs
	Clock() *sim.Clock
}

// Beliefs are those of package paxos.
type Beliefs interface {
	Lease() time.Time
	SupportUntil(paxos.NodeID) time.Time
	LeaseGranted() (holder paxos.NodeID, until, silent time.Time)
}

// leaseFacts is what was last seen of a replica.
type leaseFacts struct {
	Of     Beliefs // this process's
	end    time.Time
	counts []time.Time // until when it counts each replica's grant, by id
	holder paxos.NodeID
	gen    uint64 // of the look at the end of its word that is under way
	due    bool   // there is one
}

// New makes a Checker for the replicas 1 to that number, whose Parties the caller fills in.
func New(w *sim.World, replicas int) *Checker {
	l := &Checker{world: w, Parties: make([]Party, replicas+1), Seen: make([]leaseFacts, replicas+1)}
	for id := range l.Seen {
		l.Seen[id].counts = make([]time.Time, replicas+1)
	}
	return l
}

// Acted is told that a replica has handled an input.
func (l *Checker) Acted(id paxos.NodeID) {
	f, b := &l.Seen[id], l.Parties[id].Believes()
	if b == nil {
		return
	}
	if end := b.Lease(); !end.Equal(f.end) {
		f.end = end
		l.extended(id, b)
	}
	for member := paxos.NodeID(1); int(member) < len(l.Parties); member++ {
		if until := b.SupportUntil(member); !until.Equal(f.counts[member]) {
			f.counts[member] = until
			l.counts(id, member)
		}
	}
	holder, _, _ := b.LeaseGranted()
	if f.Of != b || f.holder != holder {
		f.Of, f.holder = b, holder
		l.honours(id)
	}
	if !f.due {
		l.await(id)
	}
}

// ReadAlone is told that a replica answered reads without the log, on an input
// for which it read its clock at now, with its rows at a slot (S7). It must have
// had read authority then, for an epoch that its own command began. Unless it
// stood still since, no client was told of a later slot.
func (l *Checker) ReadAlone(id paxos.NodeID, n *core.Replica, now time.Time, told paxos.Slot) {
	left, applied := n.Lease().Sub(now), n.Status().Applied
	switch {
	case n.Serving() == nil:
		l.world.Break("S7", "replica %d answers reads alone, and no epoch of its own has begun", id)
	case left <= 0:
		l.world.Break("S7", "replica %d answers reads alone, and its read authority ended %v ago", id, -left)
	case applied < told && now.Equal(l.Parties[id].Clock().Mono()):
		l.world.Break("S7", "replica %d answers reads alone at slot %d, when clients were told of slot %d", id, applied, told)
	}
}

// extended: a replica's read authority ends later than it did (S7).
func (l *Checker) extended(id paxos.NodeID, b Beliefs) {
	if !l.Parties[id].Clock().Mono().Before(b.Lease()) {
		return
	}
	l.Renewals++
	for other := paxos.NodeID(1); int(other) < len(l.Parties); other++ {
		if left, ok := l.Authority(other); ok && other != id {
			l.world.Break("S7", "replica %d has read authority for %v more, and replica %d for %v", id,
				b.Lease().Sub(l.Parties[id].Clock().Mono()), other, left)
		}
	}
}

// Authority says for how long a replica has it, by its own clock.
func (l *Checker) Authority(id paxos.NodeID) (left time.Duration, ok bool) {
	b := l.Parties[id].Believes()
	if b == nil {
		return 0, false
	}
	left = b.Lease().Sub(l.Parties[id].Clock().Mono())
	return left, left > 0
}

// honours asks whether any leader counts on a replica that no longer keeps its
// word to it.
func (l *Checker) honours(id paxos.NodeID) {
	for leader := paxos.NodeID(1); int(leader) < len(l.Parties); leader++ {
		l.counts(leader, id)
	}
}

// counts checks S7b of one leader and one member. One that is down tells no replica
// anything, and one that is silent after a restart keeps every word it ever gave.
func (l *Checker) counts(leader, member paxos.NodeID) {
	b, m := l.Parties[leader].Believes(), l.Parties[member].Believes()
	if b == nil || m == nil || l.OnlyS7 {
		return
	}
	left := b.SupportUntil(member).Sub(l.Parties[leader].Clock().Mono())
	if left <= 0 {
		return
	}
	now := l.Parties[member].Clock().Mono()
	holder, until, silent := m.LeaseGranted()
	if now.Before(silent) || holder == leader && now.Before(until) {
		l.outlasts(leader, member, b.SupportUntil(member), Later(until, silent))
		return
	}
	l.world.Break("S7b", "replica %d counts on replica %d for %v more, which has given its word to %d for %v and is silent for %v",
		leader, member, left, holder, until.Sub(now), silent.Sub(now))
}

// outlasts: if both clocks went on as they run now, which is within their bound,
// the member would keep its word for as long as the leader counts on it. So a word
// that is too short is seen when it is given, and not only if the member lives
// to break it.
func (l *Checker) outlasts(leader, member paxos.NodeID, counted, kept time.Time) {
	from, to := l.Parties[leader].Clock().TrueTime(counted), l.Parties[member].Clock().TrueTime(kept)
	if to < from {
		l.world.Break("S7b", "replica %d will count on replica %d for %v after that has kept its word", leader, member, from-to)
	}
}

// Later is the later of two instants.
func Later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// await looks again when a replica's word is over by its clock as it runs now.
func (l *Checker) await(id paxos.NodeID) {
	end, ok := l.wordEnds(id)
	f := &l.Seen[id]
	f.gen++
	if f.due = ok; !ok {
		return
	}
	gen := f.gen
	l.world.After(max(l.Parties[id].Clock().TrueTime(end)-l.world.Now(), 0), func() {
		if f.gen == gen {
			l.honours(id)
			l.await(id)
		}
	})
}

// wordEnds is when a replica keeps no word any more; ok is false if it is so
// already.
func (l *Checker) wordEnds(id paxos.NodeID) (end time.Time, ok bool) {
	b := l.Parties[id].Believes()
	if b == nil {
		return end, false
	}
	_, until, silent := b.LeaseGranted()
	end = Later(until, silent)
	return end, l.Parties[id].Clock().Mono().Before(end)
}

// Turned is told that a replica's clock runs at another rate.
func (l *Checker) Turned(id paxos.NodeID) {
	if l.Seen[id].due {
		l.await(id)
	}
}

// Add counts the reads of a life that is over.
func (l *Checker) Add(c core.ReadCounters) {
	l.Reads.Local += c.Local
	l.Reads.Logged += c.Logged
	l.Reads.Drifted += c.Drifted
}
