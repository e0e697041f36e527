package replicas

import (
	"fmt"
	"slices"
	"time"

	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/sim"
)

// grants are the lease grants that one life of a replica gave and was given, as the messages
// show them (PML §5.2). A leader counts a grant from the instant at which it sent the request
// (P4.08); a member honours it from the instant at which it replied. True time shows a grant
// that is counted for longer than it is honoured only where clocks err by as much as they may
// (S7b). So what a replica reports of itself is compared here with what the messages allow. A
// leader that counts more, and a member that honours less or promises meanwhile, breaks S7b.
// The contrary costs rounds through the log, or a wait (L1).
type grants struct {
	lease paxos.Lease // the configuration of this replica

	// The leader's half. A heartbeat that waits for the disk leaves late: its request was
	// made before.
	tenures   uint64
	ballot    paxos.Ballot    // of the heartbeats sent last
	requests  []heartbeatSent // in order, without those too old to count
	counts    []counted       // by member, from 1
	ends      []time.Time
	authority time.Time // end of the read authority that the replica reported last
	isChanged bool      // what the leader may count has changed since the last comparison
	isHeld    bool      // messages wait for the disk

	// The member's half.
	heartbeat    paxos.Heartbeat // received in this step
	asker        paxos.NodeID    // its sender; 0: none was received
	holder       paxos.NodeID    // replica that has this one's grant; 0: none
	holderBallot paxos.Ballot    // highest ballot at which the holder asked
	isInferred   bool            // holder and until are as reported: no message shows them
	until        time.Time
	silentUntil  time.Time
	hasSpoken    bool // a message of the log has left: the boot record is durable
	isLate       bool // a grant left in this step that was given earlier

	promised   paxos.Ballot
	sawPrepare bool // a Prepare was received in this step
}

// heartbeatSent is a heartbeat and when it left; isExact: it was made at that instant.
type heartbeatSent struct {
	seq     uint64
	at      time.Time
	isExact bool
}

// request returns the heartbeat with number seq, nil if there is none.
func (g *grants) request(seq uint64) *heartbeatSent {
	for i := range g.requests {
		if g.requests[i].seq == seq {
			return &g.requests[i]
		}
	}
	return nil
}

// counted is the end of a member's grant: the latest and the earliest that the leader may
// count, and the one that it reported last.
type counted struct{ most, least, said time.Time }

// leaseReporter is the part of paxos.Node that reports leases.
type leaseReporter interface {
	Status() paxos.Status
	Lease() time.Time
	SupportUntil(paxos.NodeID) time.Time
	LeaseGranted() (holder paxos.NodeID, until, silentUntil time.Time)
}

// onStart records the start of a life. A life that is not the first gives no grant and no
// promise for as long as the grant of an earlier life may bind (P4.09): for the longest Grant
// that any of them was configured with.
func (g *grants) onStart(now time.Time, self paxos.Status, longest time.Duration) {
	g.promised = self.Promised
	if self.Boot > 1 {
		g.silentUntil = now.Add(max(longest, g.lease.Grant))
	}
}

// onMessage records a message before the replica takes it.
func (g *grants) onMessage(now time.Time, of leaseReporter, from paxos.NodeID, m paxos.Message) {
	switch m := m.(type) {
	case paxos.Prepare:
		g.sawPrepare = true
	case paxos.Heartbeat:
		g.heartbeat, g.asker = m, from
	case paxos.Released:
		switch {
		case g.holder == from && g.isInferred:
			g.isLate = true
		case g.holder == from && !m.Ballot.Less(g.holderBallot):
			g.holder, g.until = 0, time.Time{}
		}
	case paxos.HeartbeatReply:
		q := g.request(m.Seq)
		if q == nil || !m.Granted || m.Ballot != g.ballot || int(from) > len(g.counts) {
			return
		}
		self := of.Status()
		if m.Boot != self.Boot || self.Role != paxos.Leader {
			return
		}
		end, c := q.at.Add(g.lease.Term()), &g.counts[from-1]
		if !end.After(now) {
			return
		}
		c.most, g.isChanged = later(c.most, end), true
		if q.isExact && !g.isHeld && self.Ballot == m.Ballot {
			c.least = later(c.least, end)
		}
	}
}

// onSend records a message that leaves.
func (g *grants) onSend(w *sim.World, id, to paxos.NodeID, now time.Time, m paxos.Message) {
	g.hasSpoken = true
	switch m := m.(type) {
	case paxos.Heartbeat:
		if m.Ballot != g.ballot {
			g.ballot, g.requests = m.Ballot, g.requests[:0]
		}
		if g.request(m.Seq) == nil {
			g.requests, g.isChanged = append(g.requests, heartbeatSent{m.Seq, now, !g.isHeld}), true
		}
	case paxos.HeartbeatReply:
		switch {
		case !m.Granted:
		case g.asker == to && g.heartbeat.Ballot == m.Ballot && g.heartbeat.Seq == m.Seq:
			g.give(to, now, m.Ballot)
		default:
			g.isLate = true // the reply waited for the boot record
		}
	}
}

// give records a grant to a replica. A member withholds it while another replica has its
// grant, and during the restart hold-off. But a leader that asks has the promises of a
// majority, and no member gave one while its grant bound it; so a grant that is given all the
// same gives no second leader read authority. During the hold-off it breaks nothing (control
// Z10); while another grant runs, the leader that counts that one may be deceived (planted
// bug O301), which package sim/check/leases sees.
func (g *grants) give(to paxos.NodeID, now time.Time, b paxos.Ballot) {
	if g.holder != to {
		g.holderBallot, g.isInferred = paxos.Ballot{}, false
	}
	if g.holderBallot.Less(b) {
		g.holderBallot = b
	}
	g.holder, g.until = to, now.Add(g.lease.Grant)
}

// onActed compares what a replica reports of itself at the end of a step.
func (g *grants) onActed(w *sim.World, now time.Time, members int, self *paxos.Status, of leaseReporter) {
	if self.Count.Tenures != g.tenures || self.Role != paxos.Leader {
		g.tenures, g.counts = self.Count.Tenures, g.counts[:0]
	}
	g.isHeld, g.asker = self.Held > 0, 0
	if g.lease.Grant == 0 {
		return
	}
	g.checkPromise(w, now, self)
	g.checkHonoured(w, now, self, of)
	if self.Role == paxos.Leader && members > 1 {
		g.checkCounted(w, now, members, self.ID, of)
		old := 0
		for old < len(g.requests) && !g.requests[old].at.Add(g.lease.Term()).After(now) {
			old++
		}
		g.requests = slices.Delete(g.requests, 0, old)
	}
}

// checkPromise: while its grant binds, a replica promises a ballot of the holder only, not
// even one of its own (P4.02, P4.10). A vote raises the promise as well, and is withheld as
// long.
func (g *grants) checkPromise(w *sim.World, now time.Time, self *paxos.Status) {
	to := self.Promised.Node
	switch {
	case self.Promised == g.promised:
	case g.holder != to && now.Before(g.until):
		w.Diverge("S7b", "replica %d promises %v, but its grant to %d binds it for %v more", self.ID, self.Promised, g.holder, g.until.Sub(now))
	case (g.sawPrepare || to == self.ID) && now.Before(g.silentUntil):
		w.Diverge("S7b", "replica %d promises %v, but a grant of an earlier life may bind it for %v more", self.ID, self.Promised, g.silentUntil.Sub(now))
	}
	g.promised, g.sawPrepare = self.Promised, false
}

// checkCounted checks the end that a leader counts for each member, and its read authority.
func (g *grants) checkCounted(w *sim.World, now time.Time, members int, id paxos.NodeID, of leaseReporter) {
	if !g.update(members, of) {
		return
	}
	g.ends = g.ends[:0]
	for i, c := range g.counts {
		m, end := paxos.NodeID(i+1), c.said
		g.ends = append(g.ends, end)
		switch {
		case m == id && end.After(now) && end.After(g.latestEnd()):
			w.Diverge("S7b", "replica %d counts its own grant for %v longer than its last heartbeat allows", id, end.Sub(g.latestEnd()))
		case m == id:
		case end.After(c.most) && end.After(now):
			w.Diverge("S7b", "replica %d counts the grant of %d for %v longer than its request allows", id, m, end.Sub(c.most))
		case end.Before(c.least) && c.least.After(now):
			w.Diverge("L1", "replica %d counts the grant of %d %s; it was given for %v more", id, m, counts(end, now), c.least.Sub(now))
		}
	}
	slices.SortFunc(g.ends, func(a, b time.Time) int { return b.Compare(a) }) // the latest first
	switch due := g.ends[members/2]; {
	case g.authority.After(due):
		w.Diverge("S7b", "replica %d has read authority for %v longer than a quorum granted", id, g.authority.Sub(due))
	case g.authority.Before(due):
		w.Diverge("L1", "replica %d has read authority for %v less than a quorum granted", id, due.Sub(g.authority))
	}
}

// counts says until when a leader counts a grant.
func counts(end, now time.Time) string {
	switch d := end.Sub(now); {
	case end.IsZero():
		return "not at all"
	case d <= 0:
		return fmt.Sprintf("as ended %v ago", -d)
	default:
		return fmt.Sprintf("for %v more", d)
	}
}

// update reads what a leader reports that it counts. It returns whether there is something
// new to compare: the passing of time alone makes no correct value wrong.
func (g *grants) update(members int, of leaseReporter) bool {
	for len(g.counts) < members {
		g.counts, g.isChanged = append(g.counts, counted{}), true
	}
	authority := of.Lease()
	isChanged := g.isChanged || !authority.Equal(g.authority)
	g.authority, g.isChanged = authority, false
	for i := range g.counts {
		end, c := of.SupportUntil(paxos.NodeID(i+1)), &g.counts[i]
		isChanged = isChanged || !end.Equal(c.said)
		c.said = end
	}
	return isChanged
}

// latestEnd returns the end of a grant that was requested by the latest heartbeat.
func (g *grants) latestEnd() (end time.Time) {
	if n := len(g.requests); n > 0 {
		end = g.requests[n-1].at.Add(g.lease.Term())
	}
	return end
}

// checkHonoured: a member honours its grant for as long as it gave it, and no longer. A
// leader's grant to itself is in no message; its heartbeats to the others bound it.
func (g *grants) checkHonoured(w *sim.World, now time.Time, self *paxos.Status, of leaseReporter) {
	holder, until, silentUntil := of.LeaseGranted()
	if !silentUntil.Equal(g.silentUntil) && (silentUntil.After(now) || g.silentUntil.After(now)) {
		g.reportDifference(w, silentUntil.Sub(g.silentUntil), "replica %d holds off after a restart for %v %s than a grant", self.ID)
	}
	if !g.hasSpoken || g.isLate {
		g.isLate = false
		g.infer(holder, until)
		return
	}
	if g.holder == self.ID || holder == self.ID {
		if holder != self.ID && holder != 0 {
			w.Diverge("S7b", "replica %d had its own grant, and gives it to %d without a message", self.ID, holder)
		}
		g.infer(holder, until)
		return
	}
	if !until.After(now) && !g.until.After(now) {
		return
	}
	if holder != g.holder && until.After(now) && g.until.After(now) {
		w.Diverge("S7b", "replica %d gave its grant to %d, and honours one to %d", self.ID, g.holder, holder)
		return
	}
	if !until.Equal(g.until) {
		g.reportDifference(w, until.Sub(g.until), "replica %d honours its grant for %v %s than it gave it", self.ID)
	}
}

// infer takes over what the replica reports where no message shows it.
func (g *grants) infer(holder paxos.NodeID, until time.Time) {
	g.holder, g.until, g.isInferred = holder, until, true
}

func (g *grants) reportDifference(w *sim.World, by time.Duration, text string, id paxos.NodeID) {
	if by < 0 {
		w.Diverge("S7b", text, id, -by, "less")
	} else {
		w.Diverge("L1", text, id, by, "longer")
	}
}

func later(a, b time.Time) time.Time {
	if a.Before(b) {
		return b
	}
	return a
}
