package leases

import (
	"fmt"
	"time"

	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/core"
	"github.com/chubbycell/chubby/sim"
)

// Checker checks S7 and S7b in true time. It reads what replicas believe of leases, each by
// the reading of its own clock at this instant, not at the instant of its process's last
// input.
//
// Read authority begins, or is extended, only when its holder handles an input; then all
// others are asked (S7). A member must honour a grant for as long as the leader counts it
// (S7b). That is checked when the leader counts it anew, even if this does not move the end
// of its authority; when the member's grant changes; and at the instant at which the grant
// ends by the member's clock.
type Checker struct {
	world   *sim.World
	OnlyS7  bool
	Parties []Party // by replica; the first is unused
	Seen    []leaseFacts

	Renewals uint64            // times that read authority was extended
	Reads    core.ReadCounters // of the lives that are over
}

// Party is a replica, as the checker asks it about leases.
type Party interface {
	// Believes returns what its process believes, or nil while none runs.
	Believes() Beliefs
	Clock() *sim.Clock
}

// Beliefs is the view of a paxos.Node on leases.
type Beliefs interface {
	Lease() time.Time
	SupportUntil(paxos.NodeID) time.Time
	LeaseGranted() (holder paxos.NodeID, until, silent time.Time)
}

// leaseFacts is what was last seen of a replica.
type leaseFacts struct {
	Of     Beliefs // of the present process
	end    time.Time
	counts []time.Time // until when it counts each replica's grant, by replica
	holder paxos.NodeID
	gen    uint64 // number of the check that is scheduled for the end of its grant
	due    bool   // a check is scheduled
}

// New makes a Checker for the replicas 1 to replicas. The caller fills in Parties.
func New(w *sim.World, replicas int) *Checker {
	l := &Checker{world: w, Parties: make([]Party, replicas+1), Seen: make([]leaseFacts, replicas+1)}
	for id := range l.Seen {
		l.Seen[id].counts = make([]time.Time, replicas+1)
	}
	return l
}

// Acted reports that a replica has handled an input.
func (l *Checker) Acted(id paxos.NodeID) {
	f, b := &l.Seen[id], l.Parties[id].Believes()
	if b == nil {
		return
	}
	if end := b.Lease(); !end.Equal(f.end) {
		f.end = end
		l.onExtended(id, b)
	}
	for member := paxos.NodeID(1); int(member) < len(l.Parties); member++ {
		if until := b.SupportUntil(member); !until.Equal(f.counts[member]) {
			f.counts[member] = until
			l.checkCount(id, member)
		}
	}
	holder, _, _ := b.LeaseGranted()
	if f.Of != b || f.holder != holder {
		f.Of, f.holder = b, holder
		l.checkGrants(id)
	}
	if !f.due {
		l.await(id)
	}
}

// ReadAlone reports that a replica answered reads without the log, with its rows at a slot,
// on an input for which it read its clock at now (S7). It must have had read authority then,
// for an epoch that its own command began. Unless it stood still since, no client had been
// told of a later slot; told is the highest such slot.
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

// onExtended: a replica's read authority now ends later, so no other replica may have any
// (S7).
func (l *Checker) onExtended(id paxos.NodeID, b Beliefs) {
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

// Authority returns for how long a replica has read authority, by its own clock.
func (l *Checker) Authority(id paxos.NodeID) (left time.Duration, ok bool) {
	b := l.Parties[id].Believes()
	if b == nil {
		return 0, false
	}
	left = b.Lease().Sub(l.Parties[id].Clock().Mono())
	return left, left > 0
}

// checkGrants checks whether any leader counts on a replica that no longer grants it a lease.
func (l *Checker) checkGrants(id paxos.NodeID) {
	for leader := paxos.NodeID(1); int(leader) < len(l.Parties); leader++ {
		l.checkCount(leader, id)
	}
}

// checkCount checks S7b for one leader and one member. A member that is down answers no
// candidate, and one that holds off after a restart keeps every grant that it ever made.
func (l *Checker) checkCount(leader, member paxos.NodeID) {
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
		l.checkOutlasts(leader, member, b.SupportUntil(member), Later(until, silent))
		return
	}
	l.world.Break("S7b", "replica %d counts on the grant of replica %d for %v more, which %s", leader, member, left, granted(holder, until.Sub(now)))
}

// granted says in words which grant a member honours for so long.
func granted(holder paxos.NodeID, left time.Duration) string {
	switch {
	case holder == 0:
		return "honours no grant"
	case left <= 0:
		return fmt.Sprintf("honours none: that to replica %d ended %v ago", holder, -left)
	}
	return fmt.Sprintf("honours one to replica %d for %v more", holder, left)
}

// checkOutlasts: if both clocks kept their present rates, which are within their bound, the
// member must keep its grant for as long as the leader counts it. So a grant that is too
// short is noticed when it is made, and not only if the member lives to break it.
func (l *Checker) checkOutlasts(leader, member paxos.NodeID, counted, kept time.Time) {
	from, to := l.Parties[leader].Clock().TrueTime(counted), l.Parties[member].Clock().TrueTime(kept)
	if to < from {
		l.world.Break("S7b", "replica %d will count on the grant of replica %d for %v after its end: until %s by the clock of replica %d, and the grant ends at %s by that of replica %d", leader, member, from-to, seconds(counted), leader, seconds(kept), member)
	}
}

// seconds writes an instant as stories and traces do.
func seconds(at time.Time) string { return fmt.Sprintf("%.3f", sim.ReadingOf(at).Seconds()) }

// Later returns the later of two instants.
func Later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// await schedules a check for the end of a replica's grant, by its clock's present rate.
func (l *Checker) await(id paxos.NodeID) {
	end, ok := l.grantEnds(id)
	f := &l.Seen[id]
	f.gen++
	if f.due = ok; !ok {
		return
	}
	gen := f.gen
	l.world.After(max(l.Parties[id].Clock().TrueTime(end)-l.world.Now(), 0), func() {
		if f.gen == gen {
			l.checkGrants(id)
			l.await(id)
		}
	})
}

// grantEnds returns when a replica's grant and hold-off are over; ok is false if they are
// over already.
func (l *Checker) grantEnds(id paxos.NodeID) (end time.Time, ok bool) {
	b := l.Parties[id].Believes()
	if b == nil {
		return end, false
	}
	_, until, silent := b.LeaseGranted()
	end = Later(until, silent)
	return end, l.Parties[id].Clock().Mono().Before(end)
}

// Turned reports that the rate of a replica's clock has changed.
func (l *Checker) Turned(id paxos.NodeID) {
	if l.Seen[id].due {
		l.await(id)
	}
}

// Add adds the reads of a life that is over.
func (l *Checker) Add(c core.ReadCounters) {
	l.Reads.Local += c.Local
	l.Reads.Logged += c.Logged
	l.Reads.Drifted += c.Drifted
}
