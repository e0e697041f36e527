package paxos

import (
	"fmt"
	"time"
)

// Lease is what a group agrees on about time (PML §5.2): while a majority keeps
// its grants to one node, nobody else can have a value chosen, so what that node
// has applied is the present, and it may answer reads alone. All members must be
// told the same; who was told otherwise grants nothing. The zero Lease means that
// there are none.
type Lease struct {
	// Grant is how long a member honours a grant, by its own clock, from when it
	// handles the heartbeat that asks for it (Tr). 0: no leases.
	Grant time.Duration
	// Rho bounds the rate error of every member's clock.
	Rho PPM
}

// PPM is a rate error in parts per million: a clock within PPM(200) gains or
// loses at most 200 microseconds in a second.
type PPM int64

const million = 1_000_000

// maxGrant keeps Term within 64 bits, and is far above what is of use.
const maxGrant = time.Hour

// Term is how long the asker counts a grant, by its own clock, from when it sent
// the heartbeat: Grant(1-rho)/(1+rho), rounded down. The asker's clock may be
// slow by rho and the granter's fast by rho, and still the asker stops first.
func (l Lease) Term() time.Duration {
	return l.Grant * time.Duration(million-l.Rho) / time.Duration(million+l.Rho)
}

// on says whether there are leases.
func (l Lease) isEnabled() bool { return l.Grant > 0 }

// fault says what is wrong with l, or "".
func (l Lease) fault() string {
	switch {
	case l.Grant < 0 || l.Grant > maxGrant:
		return fmt.Sprintf("Lease.Grant is %v; between 0 and %v", l.Grant, maxGrant)
	case l.Rho < 0 || l.Rho >= million:
		return fmt.Sprintf("Lease.Rho is %d ppm; at least 0, below %d", l.Rho, million)
	}
	return ""
}

// granter is the member's half: to whom it has given its word, until when. While
// a grant runs, whoever else asks for a promise, a vote or a grant is told to
// wait (P4.02), the node itself included (P4.10). Nothing of it is on disk, so a
// process that had lives before it gives no promise for the longest Grant of any of
// them: it may have granted that (P4.09).
type granter struct {
	lease        Lease
	longest      time.Duration // Grant of this life or an earlier one
	holder       NodeID        // 0: nobody yet
	ballot       Ballot        // highest at which the holder asked
	until        time.Time
	holdOffUntil time.Time // gives no promise and no grant before
}

// newGranter starts a life that follows others unless boot is 1, of which the longest
// Grant, this life's included, was so long.
func newGranter(l Lease, longest time.Duration, boot Boot, now time.Time) granter {
	g := granter{lease: l, longest: longest}
	if boot > 1 && longest > 0 {
		g.holdOffUntil = now.Add(longest)
	}
	return g
}

// bars is until when a node's votes and grants are withheld from id; an instant
// not after now means that they are not.
func (g *granter) barredUntil(id NodeID) time.Time {
	if g.holder == id {
		return time.Time{}
	}
	return g.until
}

// barsPromise is the same for promises.
func (g *granter) promiseBarredUntil(id NodeID) time.Time {
	if until := g.barredUntil(id); until.After(g.holdOffUntil) {
		return until
	}
	return g.holdOffUntil
}

// grant gives the node's word to whom it is not withheld from, if both mean the
// same by it.
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

// release ends the grants that from asked for at ballots up to b: it counts them
// no longer and never will.
func (g *granter) release(from NodeID, b Ballot) {
	if g.holder == from && !b.Less(g.ballot) {
		g.holder, g.until = 0, time.Time{}
	}
}

// holding is the leader's half: when it asked, and until when it counts each
// member's grant. There is no flag that says "held": the question is answered
// from the instants when it is asked.
type leaderLease struct {
	term         time.Duration
	firstSeq     uint64      // Seq of the heartbeat sent at asked[0]
	askedAt      []time.Time // those too old to be of use are dropped
	ends         []time.Time // by index in the group; zero: never granted
	cachedEnd    time.Time   // the answer of end, as long as the ends are
	cachedQuorum int         // the quorum of that answer; 0: there is none
}

// ask notes when heartbeat seq was made, which is before it leaves.
func (h *leaderLease) noteAsked(seq uint64, now time.Time) {
	for len(h.askedAt) > 0 && !now.Before(h.askedAt[0].Add(h.term)) {
		h.askedAt = h.askedAt[1:]
		h.firstSeq++
	}
	if len(h.askedAt) == 0 {
		h.firstSeq = seq
	}
	h.askedAt = append(h.askedAt, now)
}

// granted counts a grant from when it was asked for (P4.08): the answer may have
// been on its way for ever. It says whether the answer was of any use.
func (h *leaderLease) onGranted(member int, seq uint64, now time.Time) bool {
	if member < 0 || seq < h.firstSeq || seq >= h.firstSeq+uint64(len(h.askedAt)) {
		return false
	}
	end := h.askedAt[seq-h.firstSeq].Add(h.term)
	if !end.After(h.ends[member]) || !end.After(now) {
		return false
	}
	h.ends[member] = end
	h.cachedQuorum = 0
	return true
}

// end is until when a quorum's grants are counted: the quorum-th latest of the
// ends. Zero: no quorum ever granted. It is asked several times for each input, and
// changes with few.
func (h *leaderLease) end(quorum int) time.Time {
	if h.cachedQuorum != quorum {
		h.cachedEnd, h.cachedQuorum = latest(h.ends, quorum), quorum
	}
	return h.cachedEnd
}

// latest is the n-th latest of some instants; zero if there are fewer.
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

// Lease is the end of the node's read authority by its own clock: before that
// instant nobody else can have a value chosen. It is zero unless the node leads
// and a quorum has granted. Compare it with an instant that was read after the
// question came in, and do what it permits before the next input (P4.01). It says
// nothing about what this node has applied: a new leader answers nothing alone
// before its own first command was applied (P4.11).
func (n *Node) Lease() time.Time {
	if n.lead == nil {
		return time.Time{}
	}
	return n.lead.lease.end(n.lead.group.Quorum())
}

// holds says whether the node has read authority now.
func (n *Node) hasLease() bool { return n.now.Before(n.Lease()) }

// Granted says to whom this node has given its word and until when by its own
// clock, and until when it gives none because an earlier life may have. It is for
// observers.
func (n *Node) GrantState() (holder NodeID, until, holdOff time.Time) {
	return n.grants.holder, n.grants.until, n.grants.holdOffUntil
}

// Counts is until when, by its own clock, this node as leader counts the grant
// of a member; zero: not at all. It is for observers.
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

// withholds refuses what cannot be given before the instant bars, and says
// whether it did. A ballot below the promise is refused for that, elsewhere.
func (n *Node) rejectIfLeased(from NodeID, b Ballot, boot Boot, s Slot, until time.Time) bool {
	if !until.After(n.now) || b.Less(n.acceptor.promised) {
		return false
	}
	n.count.LeaseRejections++
	n.outbox.post(0, from, LeaseRejection{Ballot: b, Boot: boot, Slot: s, Left: until.Sub(n.now)})
	return true
}

// onLeased waits: the ballot stands, the time has not come. A candidate asks
// again when the grant it met has run out.
func (n *Node) onLeaseRejection(_ NodeID, m LeaseRejection) {
	if m.Boot != n.boot || !n.isOwnAttempt(m.Ballot) {
		n.count.Stale++
		return
	}
	if n.campaign == nil || m.Ballot != n.campaign.ballot {
		return // a leader's Accepts and heartbeats come again by themselves
	}
	if due := n.now.Add(max(m.Left, n.cfg.Retransmit)); due.Before(n.prepareDue) {
		n.prepareDue, n.prepareWait = due, n.cfg.Retransmit
	}
}

// renew answers a heartbeat that was not refused, with a grant if it may.
func (n *Node) answerHeartbeat(from NodeID, m Heartbeat) {
	granted := n.grants.grant(from, m.Ballot, m.Lease, n.now)
	n.outbox.post(0, from, HeartbeatReply{
		Ballot: m.Ballot, Boot: m.Boot, Seq: m.Seq, FirstOpen: n.learner.firstOpen, Granted: granted,
	})
}

// release tells all members that this leader counts their grants no longer, so
// that no candidate waits for them to run out. Losing the message costs time only.
//
// It waits for the promise of its ballot. A leader elected by the promises of others
// may resign before its own promise is durable, lose it in a crash, and lead again at
// the same ballot. A Released of the first life that arrives then would free a grant
// that the second life counts: two holders of the lease at one instant.
func (n *Node) sendReleased() {
	if !n.cfg.Lease.isEnabled() {
		return
	}
	for _, id := range n.lead.group.ids {
		n.outbox.post(n.lead.promise, id, Released{Ballot: n.lead.ballot, Boot: n.boot})
	}
}

func (n *Node) onReleased(from NodeID, m Released) { n.grants.release(from, m.Ballot) }
