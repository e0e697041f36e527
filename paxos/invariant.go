package paxos

import "github.com/chubbycell/chubby/internal/invariant"

// delta is what must not go back from one output to the next.
type delta struct {
	promised  Ballot
	firstOpen Slot
	grants    granter
}

// verifyDelta compares with the last output (I-A1, I-L2), pauses with their bounds
// (I-T2), and every message that leaves with the disk (I-A4).
func (n *Node) verifyDelta() {
	now := delta{
		promised: n.acceptor.promised, firstOpen: n.learner.firstOpen,
		grants: n.grants,
	}
	if now.promised.Less(n.last.promised) {
		invariant.Failf("I-A1", "node %d: promise fell from %v to %v", n.cfg.ID, n.last.promised, now.promised)
	}
	if now.firstOpen < n.last.firstOpen {
		invariant.Failf("I-L2", "node %d: first open slot fell from %d to %d", n.cfg.ID, n.last.firstOpen, now.firstOpen)
	}
	n.verifyGrant(now)
	n.last = now
	n.verifyPauses()
	for i := range n.outbox.send {
		n.verifyLeaves(n.outbox.send[i].Message)
	}
}

// verifyPauses: waits that double have a bound, however long nobody answers (I-T2).
// One without is as long as the outage was, when that is over. The bounds are those of
// doc.go, whatever the code takes them for.
func (n *Node) verifyPauses() {
	if most := 16 * n.cfg.Retransmit; n.campaign != nil && n.prepareDue.Sub(n.now) > most {
		invariant.Failf("I-T2", "node %d asks for promises again in %v, its bound is %v", n.cfg.ID, n.prepareDue.Sub(n.now), most)
	}
	if most := 8 * n.cfg.Retransmit; n.isLagging() && n.catchup.due.Sub(n.now) > most {
		invariant.Failf("I-T2", "node %d asks for values again in %v, its bound is %v", n.cfg.ID, n.catchup.due.Sub(n.now), most)
	}
	n.verifyDefeats()
}

// verifyDefeats: who keeps losing goes on trying (I-T2), and begins anew when somebody
// has led (I-T3): duels of long ago are no reason for a slow fail-over. A grant to
// another may come before the wait.
func (n *Node) verifyDefeats() {
	most, e := n.cfg.ElectionMax, &n.election
	if n.leader.Leader == 0 {
		most *= 32
	} else if e.defeats > 0 {
		invariant.Failf("I-T3", "node %d remembers that it lost %d times, and %d leads", n.cfg.ID, e.defeats, n.leader.Leader)
	}
	if most += n.grants.longest; e.deadline.Sub(n.now) > most {
		invariant.Failf("I-T2", "node %d campaigns in %v, its bound is %v", n.cfg.ID, e.deadline.Sub(n.now), most)
	}
}

// verifyTurn: who has led lets the others go first (I-T4). A leader that was asked to
// give way, and is back before any of them can have campaigned, has given way to
// nobody, at the price of a fail-over.
func (n *Node) verifyTurn() {
	if since := n.now.Sub(n.lastLed); !n.lastLed.IsZero() && since < n.cfg.ElectionMin {
		invariant.Failf("I-T4", "node %d campaigns %v after it gave up leading, by itself", n.cfg.ID, since)
	}
}

// verifyGrant compares with the last output: while a grant ran, nobody else was
// given a promise, and it did not become shorter (I-G1). The grant of before may
// have been released by its holder since. As leader, the node counts on
// nobody for longer than a term from now (I-G2).
func (n *Node) verifyGrant(now delta) {
	was, is := n.last.grants, now.grants
	same := was.holder != 0 && was.holder == is.holder && was.ballot == is.ballot
	if same && is.until.Before(was.until) {
		invariant.Failf("I-G1", "node %d shortens its grant to %d by %v", n.cfg.ID, was.holder, was.until.Sub(is.until))
	}
	if same && was.until.After(n.now) && n.last.promised.Less(now.promised) && now.promised.Node != was.holder {
		invariant.Failf("I-G1", "node %d has promised %v, and its grant to %d runs for %v more",
			n.cfg.ID, now.promised, was.holder, was.until.Sub(n.now))
	}
	if end, most := n.Lease(), n.now.Add(n.cfg.Lease.Term()); end.After(most) {
		invariant.Failf("I-G2", "node %d counts on its lease for %v more than a term", n.cfg.ID, end.Sub(most))
	}
}

// verifyPromised: a leader's own acceptor has promised its ballot (I-P3).
func (n *Node) verifyPromised(b Ballot) {
	if n.acceptor.promised != b {
		invariant.Failf("I-P3", "node %d begins to lead at %v with its own promise at %v", n.cfg.ID, b, n.acceptor.promised)
	}
}

// verifyLeaves asks the disk, not the gate, whether m may leave (I-A4). Where
// the acceptor has moved on since, the record in question is an older one and
// nothing is known of it here.
func (n *Node) verifyLeaves(m Message) {
	a := &n.acceptor
	needs := n.outbox.bootRecord
	switch m := m.(type) {
	case Promise:
		needs = max(needs, a.promiseAt(m.Ballot))
		for i := range m.Votes {
			if !m.Votes[i].Lost { // the record of a lost one is of an earlier life
				needs = max(needs, a.voteAt(m.Votes[i].Slot, m.Votes[i].Ballot))
			}
		}
	case Accept:
		needs = max(needs, a.promiseAt(m.Ballot))
	case Heartbeat:
		needs = max(needs, a.promiseAt(m.Ballot))
	case Released:
		needs = max(needs, a.promiseAt(m.Ballot))
	case Accepted:
		needs = max(needs, a.voteAt(m.Slot, m.Ballot))
	}
	if n.outbox.durable < needs {
		invariant.Failf("I-A4", "node %d would send %v, which stands on record %d; durable are those up to %d", n.cfg.ID, m, needs, n.outbox.durable)
	}
}

// promiseAt is the number of the record behind the promise, if it is b.
func (a *acceptor) promiseAt(b Ballot) LSN {
	if a.promised != b {
		return 0
	}
	return a.promiseLSN
}

// voteAt is the number of the record behind the vote in s, if it is at b.
func (a *acceptor) voteAt(s Slot, b Ballot) LSN {
	if v := a.votes.get(s); v != nil && v.ballot == b {
		return v.lsn
	}
	return 0
}

// verifyDemands counts again, without the value rule, what phase 1 heard of the
// slots it fills with a no-op: where nobody voted for one, a quorum must have
// had nothing there, and "unreadable" is not "nothing" (I-P2). Nobody voted above
// the slots it demands values for (I-P1).
func (n *Node) verifyDemands(c *campaign, demanded []Value) {
	noops, others := make([]int, len(demanded)), make([]int, len(demanded))
	complete := c.completeMembers()
	for i := range c.answers {
		for _, v := range c.answers[i].votes {
			switch {
			case !complete.Has(c.group.ids[i]) || v.Slot < c.start:
			case v.Slot >= c.start+Slot(len(demanded)):
				invariant.Failf("I-P1", "node %d would lead at %v with slots of its own from %d; %v was heard of",
					n.cfg.ID, c.ballot, c.start+Slot(len(demanded)), v)
			case v.Value == Noop && !v.Lost:
				noops[v.Slot-c.start]++
			default:
				others[v.Slot-c.start]++
			}
		}
	}
	for i, value := range demanded {
		if value == Noop && noops[i] == 0 && complete.Count()-others[i] < c.group.Quorum() {
			invariant.Failf("I-P2", "node %d would fill slot %d with a no-op at %v; %d members told, %d have something there",
				n.cfg.ID, c.start+Slot(i), c.ballot, complete.Count(), others[i])
		}
	}
}

// verifyWaits judges again, without the value rule, by what phase 1 has heard: of some
// slot fewer than a quorum can read what they have, and no readable vote has the ballot
// of the highest unreadable one, or a higher one (I-P5). Whoever waits for less may wait
// for somebody who never comes.
func (n *Node) verifyWaits(c *campaign) {
	complete := c.completeMembers()
	if !complete.HasQuorum() {
		return
	}
	var votes []Vote
	for i, id := range c.group.ids {
		if complete.Has(id) {
			votes = append(votes, c.answers[i].votes...)
		}
	}
	for _, lost := range votes {
		if lost.Lost && lost.Slot >= c.start && !isHarmless(votes, lost, complete.Count(), c.group.Quorum()) {
			return
		}
	}
	invariant.Failf("I-P5", "node %d waits to lead at %v, and what %d members told says all", n.cfg.ID, c.ballot, complete.Count())
}

// decides says whether an unreadable vote is harmless, of so many members that told
// all.
func isHarmless(votes []Vote, lost Vote, complete, quorum int) bool {
	for _, v := range votes {
		switch {
		case v.Slot != lost.Slot:
		case v.Lost:
			complete--
		case !v.Ballot.Less(lost.Ballot):
			return true
		}
	}
	return complete >= quorum
}

// Verify walks the whole state, and panics where an invariant is broken; it runs
// after every input under the build tag deep, and an observer may call it between
// TakeOutput and the next input. The invariants are numbered in doc.go; those that
// compare two instants (delta) or two places (pair) are asserted where they happen.
func (n *Node) Verify() {
	n.verifyVotes()
	n.verifyLearner()
	if n.lead != nil {
		n.verifyLead()
	}
	if n.campaign != nil && n.lead != nil && !n.lead.ballot.Less(n.campaign.ballot) {
		invariant.Failf("I-P4", "node %d leads at %v and campaigns at %v, which is no boost", n.cfg.ID, n.lead.ballot, n.campaign.ballot)
	}
}

// I-A2: no vote above the promise.
func (n *Node) verifyVotes() {
	for i := range n.acceptor.votes.items {
		v := &n.acceptor.votes.items[i]
		if n.acceptor.promised.Less(v.ballot) {
			invariant.Failf("I-A2", "node %d slot %d: vote at %v above the promise %v",
				n.cfg.ID, n.acceptor.votes.base+Slot(i), v.ballot, n.acceptor.promised)
		}
	}
}

// I-L2: applied <= delivered <= first gap.
func (n *Node) verifyLearner() {
	l := &n.learner
	if l.applied >= l.firstOpen {
		invariant.Failf("I-L2", "node %d applied %d, first open slot %d", n.cfg.ID, l.applied, l.firstOpen)
	}
	if k := l.known.get(l.firstOpen); k != nil && k.chosen {
		invariant.Failf("I-L2", "node %d holds slot %d as chosen and did not hand it out", n.cfg.ID, l.firstOpen)
	}
}

// I-L3: nothing is proposed beyond the window. I-P1: nothing but what phase 1
// demands is proposed below the slots it closed.
func (n *Node) verifyLead() {
	l := n.lead
	if top := n.learner.firstOpen + Slot(n.cfg.Window); l.next > max(top, l.proposals.base) && l.proposals.end() > top {
		invariant.Failf("I-L3", "node %d proposed up to %d, first open slot %d, window %d", n.cfg.ID, l.next-1, n.learner.firstOpen, n.cfg.Window)
	}
	if len(l.demanded) > 0 && l.next+Slot(len(l.demanded)) != l.firstOwn {
		invariant.Failf("I-P1", "node %d: %d demanded values left at slot %d, own slots begin at %d", n.cfg.ID, len(l.demanded), l.next, l.firstOwn)
	}
}
