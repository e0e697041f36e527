package paxos

import (
	"fmt"
	"strings"

	"github.com/chubbycell/chubby/internal/invariant"
)

// delta holds the values that must not go back from one output to the next.
type delta struct {
	promised  Ballot
	firstOpen Slot
	grants    granter
}

// verifyDelta compares the present values with the last output (I-A1, I-L2), and every message that
// leaves with the disk (I-A4).
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
	for i := range n.outbox.send {
		n.verifyLeaves(n.outbox.send[i].Message)
	}
}

// verifyGrant compares the present grant with the last output. While a grant ran, no other node got
// a promise, and the grant did not become shorter (I-G1), unless its holder has released it since.
// A leader counts no grant for longer than a term from now (I-G2).
func (n *Node) verifyGrant(now delta) {
	was, is := n.last.grants, now.grants
	same := was.holder != 0 && was.holder == is.holder && was.ballot == is.ballot
	if same && is.until.Before(was.until) {
		invariant.Failf("I-G1", "node %d shortened its grant to node %d by %v", n.cfg.ID, was.holder, was.until.Sub(is.until))
	}
	if same && was.until.After(n.now) && n.last.promised.Less(now.promised) && now.promised.Node != was.holder {
		invariant.Failf("I-G1", "node %d promised %v while its grant to node %d runs for %v more",
			n.cfg.ID, now.promised, was.holder, was.until.Sub(n.now))
	}
	if end, most := n.Lease(), n.now.Add(n.cfg.Lease.Term()); end.After(most) {
		invariant.Failf("I-G2", "node %d counts its lease for %v longer than a term from now", n.cfg.ID, end.Sub(most))
	}
}

// verifyPromised: a leader's own acceptor has promised its ballot (I-P3).
func (n *Node) verifyPromised(b Ballot) {
	if n.acceptor.promised != b {
		invariant.Failf("I-P3", "node %d begins to lead at %v with its own promise at %v", n.cfg.ID, b, n.acceptor.promised)
	}
}

// verifyLeaves checks against the acceptor, not the outbox, whether m may leave (I-A4). If the
// acceptor has voted or promised again since, it no longer knows the number of the record for which
// m waited, and the check is void.
func (n *Node) verifyLeaves(m Message) {
	a := &n.acceptor
	needs := n.outbox.bootRecord
	switch m := m.(type) {
	case Promise:
		needs = max(needs, a.promiseAt(m.Ballot))
		for i := range m.Votes {
			if !m.Votes[i].Lost { // an earlier life wrote the record of a lost vote
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
		invariant.Failf("I-A4", "node %d would send %v, which needs record %d; the records up to %d are durable", n.cfg.ID, m, needs, n.outbox.durable)
	}
}

// promiseAt is the number of the Promised record of b, if the promise is b.
func (a *acceptor) promiseAt(b Ballot) LSN {
	if a.promised != b {
		return 0
	}
	return a.promiseLSN
}

// voteAt is the number of the Voted record of s, if the vote is at b.
func (a *acceptor) voteAt(s Slot, b Ballot) LSN {
	if v := a.votes.get(s); v != nil && v.ballot == b {
		return v.lsn
	}
	return 0
}

// verifyDemands counts the votes of phase 1 again, without chooseValue. If no member voted in a
// slot that gets a no-op, the slot must have a quorum without a vote, and "unreadable" is not
// "nothing" (I-P2). No vote lies above the demanded slots (I-P1).
func (n *Node) verifyDemands(c *campaign, demanded []Value) {
	noops, others := make([]int, len(demanded)), make([]int, len(demanded))
	complete := c.completeMembers()
	for i := range c.answers {
		for _, v := range c.answers[i].votes {
			switch {
			case !complete.Has(c.group.ids[i]) || v.Slot < c.start:
			case v.Slot >= c.start+Slot(len(demanded)):
				invariant.Failf("I-P1", "node %d would lead at %v with slots of its own from %d, but phase 1 reported %v",
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
			invariant.Failf("I-P2", "node %d would fill slot %d with a no-op at %v, but %d members answered and %d of them have a vote there",
				n.cfg.ID, c.start+Slot(i), c.ballot, complete.Count(), others[i])
		}
	}
}

// verifyWaits checks the votes of phase 1 again, without chooseValue. A candidate may wait only if,
// in some slot, fewer than a quorum of the members that answered can read their votes, and no
// readable vote has the ballot of an unreadable one, or a higher one (I-P5). A candidate that
// waited for less might wait for a member that never comes back.
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
	invariant.Failf("I-P5", "node %d waits to lead at %v although the answers of %d members decide every slot%s", n.cfg.ID, c.ballot, complete.Count(), unreadableIn(c, complete))
}

// unreadableIn says in which slot members have unreadable votes, and what the answers say there; "": nowhere. Of several
// such slots it is the first.
func unreadableIn(c *campaign, complete Tally) string {
	first := MaxSlot
	for i, id := range c.group.ids {
		for _, v := range c.answers[i].votes {
			if complete.Has(id) && v.Lost && v.Slot >= c.start {
				first = min(first, v.Slot)
			}
		}
	}
	if first == MaxSlot {
		return ""
	}
	text := fmt.Sprintf("; slot %d:", first)
	for i, id := range c.group.ids {
		if !complete.Has(id) {
			continue
		}
		said := "no vote"
		for _, v := range c.answers[i].votes {
			switch {
			case v.Slot == first && v.Lost:
				said = fmt.Sprintf("an unreadable vote at %v", v.Ballot)
			case v.Slot == first:
				said = fmt.Sprintf("a vote at %v", v.Ballot)
			}
		}
		text += fmt.Sprintf(" node %d has %s,", id, said)
	}
	return strings.TrimSuffix(text, ",")
}

// isHarmless reports whether an unreadable vote does not matter. complete is the number of
// members whose answers are complete.
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

// Verify checks the whole state, and panics if an invariant is broken. It runs after every input
// under the build tag deep; an observer may call it between TakeOutput and the next input. doc.go
// numbers the invariants. Those of kind delta and pair are checked where they apply.
func (n *Node) Verify() {
	n.verifyVotes()
	n.verifyLearner()
	if n.lead != nil {
		n.verifyLead()
	}
	if n.campaign != nil && n.lead != nil && !n.lead.ballot.Less(n.campaign.ballot) {
		invariant.Failf("I-P4", "node %d leads at %v and campaigns at %v, which is not above it", n.cfg.ID, n.lead.ballot, n.campaign.ballot)
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
		invariant.Failf("I-L2", "node %d applied slot %d; the first open slot is %d", n.cfg.ID, l.applied, l.firstOpen)
	}
	if k := l.known.get(l.firstOpen); k != nil && k.chosen {
		invariant.Failf("I-L2", "node %d knows that slot %d is chosen and did not hand it out", n.cfg.ID, l.firstOpen)
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
