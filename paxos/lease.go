package paxos

import (
	"fmt"
	"time"
)

// Lease is what a group agrees on about time (PML §5.2). While a majority keeps its grants to one
// node, no other node can have a value chosen, so the state of that node is up to date, and it may
// answer reads without the log. All members must be configured with the same Lease; a member
// refuses the request of a leader with another one. The zero Lease switches leases off.
type Lease struct {
	// Grant is for how long a member honours a grant, by its own clock, from the moment at which it
	// handles the heartbeat that asks for it. 0: no leases.
	Grant time.Duration
	// Rho bounds the rate error of every member's clock.
	Rho PPM
}

// PPM is a rate error in parts per million: a clock within PPM(200) gains or
// loses at most 200 microseconds in a second.
type PPM int64

const million = 1_000_000

// maxGrant keeps Term within 64 bits, and is far above useful lengths.
const maxGrant = time.Hour

// Term returns for how long the leader counts a grant, by its own clock, from the moment at which
// it sent the heartbeat: Grant(1-rho)/(1+rho), rounded down. The leader's clock may be slow by rho
// and the member's fast by rho, and the leader still stops first.
func (l Lease) Term() time.Duration {
	return l.Grant * time.Duration(million-l.Rho) / time.Duration(million+l.Rho)
}

// isEnabled reports whether there are leases.
func (l Lease) isEnabled() bool { return l.Grant > 0 }

// fault returns what is wrong with l, or "".
func (l Lease) fault() string {
	switch {
	case l.Grant < 0 || l.Grant > maxGrant:
		return fmt.Sprintf("Lease.Grant is %v; between 0 and %v", l.Grant, maxGrant)
	case l.Rho < 0 || l.Rho >= million:
		return fmt.Sprintf("Lease.Rho is %d ppm; at least 0, below %d", l.Rho, million)
	}
	return ""
}

// granter is the member's half: to which node it has granted a lease, and until when.
// While a grant runs, the member refuses promises, votes and grants to all other nodes
// (P4.02), itself included (P4.10). Grants are not on disk, so a life that is not the
// first may not promise for the longest Grant of any earlier one (P4.09). This is the
// restart hold-off.
type granter struct {
	lease        Lease
	longest      time.Duration // Grant of this life or an earlier one
	holder       NodeID        // 0: no grant yet
	ballot       Ballot        // highest at which the holder asked
	until        time.Time
	holdOffUntil time.Time // no promise and no grant before
}

// newGranter begins the life boot of a node. longest is the longest Grant with which this life or
// an earlier one was configured.
func newGranter(l Lease, longest time.Duration, boot Boot, now time.Time) granter {
	g := granter{lease: l, longest: longest}
	if boot > 1 && longest > 0 {
		g.holdOffUntil = now.Add(longest)
	}
	return g
}

// barredUntil returns the instant until which the node must refuse votes and grants to id. If it is
// not after now, the node need not refuse.
func (g *granter) barredUntil(id NodeID) time.Time {
	if g.holder == id {
		return time.Time{}
	}
	return g.until
}

// promiseBarredUntil is barredUntil for promises.
func (g *granter) promiseBarredUntil(id NodeID) time.Time {
	if until := g.barredUntil(id); until.After(g.holdOffUntil) {
		return until
	}
	return g.holdOffUntil
}

// grant gives or renews a grant, unless the leader asks for a different Lease or the restart
// hold-off runs. It reports whether it did. The caller ensures that no grant to another node runs.
func (g *granter) grant(to NodeID, b Ballot, asked Lease, now time.Time) bool {
	if !g.lease.isEnabled() || asked != g.lease || now.Before(g.holdOffUntil) {
		return false
	}
	if g.holder != to || g.ballot.Less(b) {
		g.ballot = b
	}
	g.holder, g.until = to, now.Add(g.lease.Grant)
	return true
}

// release ends the grants for which from asked at ballots up to b: from no longer counts them.
func (g *granter) release(from NodeID, b Ballot) {
	if g.holder == from && !b.Less(g.ballot) {
		g.holder, g.until = 0, time.Time{}
	}
}

// leaderLease is the leader's half: when it asked for grants, and until when it counts the grant of
// each member. No flag says that the lease "is held": each question is answered from these instants
// at the time of the question.
type leaderLease struct {
	term         time.Duration
	firstSeq     uint64      // Seq of the heartbeat sent at asked[0]
	askedAt      []time.Time // those older than term are dropped
	ends         []time.Time // by index in the group; zero: never granted
	cachedEnd    time.Time   // the last result of end
	cachedQuorum int         // the quorum of that result; 0: the ends have changed since
}

// noteAsked records when heartbeat seq was made, which is not after it leaves.
func (l *leaderLease) noteAsked(seq uint64, now time.Time) {
	for len(l.askedAt) > 0 && !now.Before(l.askedAt[0].Add(l.term)) {
		l.askedAt = l.askedAt[1:]
		l.firstSeq++
	}
	if len(l.askedAt) == 0 {
		l.firstSeq = seq
	}
	l.askedAt = append(l.askedAt, now)
}

// forgetAsked forgets the heartbeats sent so far, whose answers will not count.
func (l *leaderLease) forgetAsked() { l.askedAt = nil }

// onGranted counts a grant from the moment at which the leader asked for it (P4.08): the
// reply may have been on its way for any time. It reports whether the grant extended the
// member's end.
func (l *leaderLease) onGranted(member int, seq uint64, now time.Time) bool {
	if member < 0 || seq < l.firstSeq || seq >= l.firstSeq+uint64(len(l.askedAt)) {
		return false
	}
	end := l.askedAt[seq-l.firstSeq].Add(l.term)
	if !end.After(l.ends[member]) || !end.After(now) {
		return false
	}
	l.ends[member] = end
	l.cachedQuorum = 0
	return true
}

// end returns the instant until which grants of a quorum are counted: the quorum-th latest of the
// ends. Zero: no quorum ever granted. The result is cached because each input asks several times
// and few inputs change it.
func (l *leaderLease) end(quorum int) time.Time {
	if l.cachedQuorum != quorum {
		l.cachedEnd, l.cachedQuorum = latest(l.ends, quorum), quorum
	}
	return l.cachedEnd
}

// latest returns the n-th latest of some instants, or zero if there are fewer.
func latest(all []time.Time, n int) (best time.Time) {
	for _, e := range all {
		later := 0
		for _, f := range all {
			if !f.Before(e) {
				later++
			}
		}
		if later >= n && e.After(best) {
			best = e
		}
	}
	return best
}

// Lease returns the end of the node's read authority by its own clock: before that instant no other
// node can have a value chosen. It is zero unless the node leads and a quorum has granted. The
// caller must compare it with an instant that it read after the read request came in, and answer
// before the next input (P4.01). Lease says nothing about what this node has applied: a new leader
// must not answer without the log before its own first command was applied (P4.11).
func (n *Node) Lease() time.Time {
	if n.lead == nil {
		return time.Time{}
	}
	return n.lead.lease.end(n.lead.group.Quorum())
}

// hasLease reports whether the node has read authority now.
func (n *Node) hasLease() bool { return n.now.Before(n.Lease()) }

// GrantState returns, by this node's own clock, until when it honours its grant and to which
// holder, and until when its restart hold-off lasts. It is for observers.
func (n *Node) GrantState() (holder NodeID, until, holdOff time.Time) {
	return n.grants.holder, n.grants.until, n.grants.holdOffUntil
}

// CountedUntil returns, by this node's own clock, until when it counts the grant of a member as
// leader; zero: not at all. It is for observers.
func (n *Node) CountedUntil(member NodeID) time.Time {
	if n.lead == nil {
		return time.Time{}
	}
	i := n.lead.group.index(member)
	if i < 0 {
		return time.Time{}
	}
	return n.lead.lease.ends[i]
}

// rejectIfLeased sends a LeaseRejection if until is in the future, and reports whether it did. A
// ballot below the promise gets a Nack from the acceptor instead.
func (n *Node) rejectIfLeased(from NodeID, b Ballot, boot Boot, s Slot, until time.Time) bool {
	if !until.After(n.now) || b.Less(n.acceptor.promised) {
		return false
	}
	n.count.LeaseRejections++
	n.outbox.post(0, from, LeaseRejection{Ballot: b, Boot: boot, Slot: s, Left: until.Sub(n.now)})
	return true
}

// onLeaseRejection makes a candidate keep its ballot and ask again when the grant that
// was in its way has ended.
func (n *Node) onLeaseRejection(_ NodeID, m LeaseRejection) {
	if m.Boot != n.boot || !n.isOwnAttempt(m.Ballot) {
		n.count.Stale++
		return
	}
	if n.campaign == nil || m.Ballot != n.campaign.ballot {
		return // a leader repeats Accepts and heartbeats in any case
	}
	if due := n.now.Add(max(m.Left, n.cfg.Retransmit)); due.Before(n.prepareDue) {
		n.prepareDue, n.prepareWait = due, n.cfg.Retransmit
	}
}

// answerHeartbeat answers a heartbeat that was not refused, with a grant if possible.
func (n *Node) answerHeartbeat(from NodeID, m Heartbeat) {
	granted := n.grants.grant(from, m.Ballot, m.Lease, n.now)
	n.outbox.post(0, from, HeartbeatReply{
		Ballot: m.Ballot, Boot: m.Boot, Seq: m.Seq, FirstOpen: n.learner.firstOpen, Granted: granted,
	})
}

// sendReleased tells all members that this leader no longer counts their grants, so that no
// candidate waits for the grants to end. Losing the message only costs time.
//
// Released waits for the Promised record of its ballot. A leader elected by the promises
// of others may resign before its own promise is durable, lose it in a crash, and lead
// again at the same ballot. A Released of the first life that arrived then would free a
// grant that the second life counts: two nodes would have read authority at one instant.
func (n *Node) sendReleased() {
	if !n.cfg.Lease.isEnabled() {
		return
	}
	for _, id := range n.lead.group.ids {
		n.outbox.post(n.lead.promise, id, Released{Ballot: n.lead.ballot, Boot: n.boot})
	}
}

// onReleased frees the member from its grant. If the member follows the sender, and has not
// promised a higher ballot, no leader is at work: it campaigns soon, without the usual wait for a
// silent leader.
func (n *Node) onReleased(from NodeID, m Released) {
	n.grants.release(from, m.Ballot)
	if n.leader.Leader == from && n.leader.Ballot == m.Ballot && n.acceptor.promised == m.Ballot {
		n.setLeader(0, Ballot{})
		n.election.campaignAfter(n.now)
	}
}
