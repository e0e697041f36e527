package paxos

import "github.com/chubbycell/chubby/internal/instant"

// A ballot boost keeps a stable leader (P4.06). A node that was cut off for a while comes back with
// a higher ballot, which its own acceptor has promised, and refuses the leader's messages. Without
// a boost it would depose the leader needlessly. Instead, a leader with a lease runs phase 1 again,
// above that ballot, and continues: the ballot changes, the tenure does not.
//
// While the lease holds, no other node has finished phase 1 above the leader's ballot: a quorum
// granted at this ballot, so each of its members had promised nothing higher then, and has promised
// nothing to other nodes since. Phase 1 can therefore find only this leader's own values, and older
// votes that its first phase 1 has dealt with or that no quorum shares.
//
// Heartbeats keep the old ballot until phase 1 is over. A grant at the new ballot could
// come from a member that promised a ballot in between to another node, which then had
// values chosen that this leader has never seen.

// startBoost starts phase 1 of a boost and reports whether it did. It does not without a lease, and
// then the higher ballot wins.
func (n *Node) startBoost() bool {
	if !n.hasLease() {
		return false
	}
	n.count.Boosts++
	n.startCampaign()
	return true
}

// onChallenge learns of ballot b from a Prepare that this leader's own acceptor rejected
// because of its grant.
func (n *Node) onChallenge(b Ballot) {
	if n.lead != nil && n.lead.ballot.Less(b) && (n.campaign == nil || n.campaign.ballot.Less(b)) {
		n.startBoost()
	}
}

// isOwnAttempt reports whether this node leads or campaigns at b.
func (n *Node) isOwnAttempt(b Ballot) bool {
	return n.lead != nil && n.lead.ballot == b || n.campaign != nil && n.campaign.ballot == b
}

// finishBoost continues at the new ballot and returns true if this is still the same tenure: the
// lease holds, and phase 1 found only votes for this leader's own proposals. Otherwise the campaign
// was an election like any other.
func (n *Node) finishBoost() bool {
	l, c := n.lead, n.campaign
	if !n.hasLease() || len(l.demanded) > 0 || !n.hasOnlyOwnVotes(c) {
		return false
	}
	n.verifyPromised(c.ballot)
	n.count.Boosted++
	n.sendChosen() // Chosen must name the ballot at which these slots were chosen
	n.cancelProposals()
	l.ballot, l.promise, n.campaign = c.ballot, n.acceptor.promiseLSN, nil
	l.lease.forgetAsked() // answers at the old ballot do not count
	n.proposeAgain()
	n.sendHeartbeats()
	return true
}

// hasOnlyOwnVotes reports whether every vote that phase 1 found in an open slot is for the value
// that this leader proposed there.
func (n *Node) hasOnlyOwnVotes(c *campaign) bool {
	complete := c.completeMembers()
	for i, id := range c.group.ids {
		if !complete.Has(id) {
			continue
		}
		for _, v := range c.answers[i].votes {
			if n.learner.isChosen(v.Slot) {
				continue
			}
			p := n.lead.proposals.get(v.Slot)
			if p == nil || p.votes.group == nil || v.Lost || p.value != v.Value {
				return false
			}
		}
	}
	return true
}

// proposeAgain is phase 2a at the new ballot, for all proposals not yet chosen.
func (n *Node) proposeAgain() {
	l := n.lead
	for s := l.proposals.base; s < l.proposals.end(); s++ {
		p := l.proposals.get(s)
		if p.votes.group == nil || p.chosen || n.learner.isChosen(s) {
			continue
		}
		p.votes, p.repeated = NewTally(p.votes.group), true
		p.resendDue = n.now.Add(p.resendWait)
		l.resendDue = instant.Earliest(l.resendDue, p.resendDue)
		n.sendAccepts(s, p)
	}
}

// tendBoost does what is due in a boost.
func (n *Node) tendBoost() {
	switch {
	case !n.hasLease():
		n.stepDownToCandidate()
	case !n.now.Before(n.prepareDue):
		n.tendCampaign()
	}
}

// stepDownToCandidate ends a tenure whose lease ran out during a boost. The node continues as a
// candidate, with the answers that it has.
func (n *Node) stepDownToCandidate() {
	campaign := n.campaign
	n.stepDown()
	n.campaign = campaign
}
