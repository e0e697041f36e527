package paxos

import "github.com/chubbycell/chubby/internal/instant"

// A ballot boost keeps a stable leader (P4.06). Somebody who was cut off for a
// while comes back with a higher ballot that he has promised himself, refuses
// the leader's heartbeats, and would depose it for nothing. A leader with a lease
// runs phase 1 again instead, above that ballot, and goes on: the ballot changes,
// the tenure does not.
//
// While the lease holds nobody else has finished phase 1 since the present
// ballot did: a quorum granted at this ballot, so each of its members had
// promised nothing higher then, and has promised nothing to others since. So
// phase 1 can find only this leader's own values, and older votes that its first
// phase 1 has dealt with or that no quorum shares.
//
// Heartbeats keep the old ballot until phase 1 is over. A grant at the new one
// could come from a member that promised something in between to somebody who
// then had values chosen which this leader has never seen.

// boost begins it, unless without a lease; then the higher ballot wins.
func (n *Node) startBoost() bool {
	if !n.hasLease() {
		return false
	}
	n.count.Boosts++
	n.startCampaign()
	return true
}

// challenged hears of a higher ballot in a Prepare that was withheld from its
// sender.
func (n *Node) onChallenge(b Ballot) {
	if n.lead != nil && n.lead.ballot.Less(b) && (n.campaign == nil || n.campaign.ballot.Less(b)) {
		n.startBoost()
	}
}

// attempts says whether b is the ballot of something this node has under way.
func (n *Node) isOwnAttempt(b Ballot) bool {
	return n.lead != nil && n.lead.ballot == b || n.campaign != nil && n.campaign.ballot == b
}

// boosted goes on at the new ballot, if this is still the same tenure: the lease
// holds, and phase 1 demands nothing but this leader's own values where they are.
// Otherwise it was an election like any other.
func (n *Node) finishBoost() bool {
	l, c := n.lead, n.campaign
	if !n.hasLease() || len(l.demanded) > 0 || !n.hasOnlyOwnVotes(c) {
		return false
	}
	n.verifyPromised(c.ballot)
	n.count.Boosted++
	n.sendChosen() // what was chosen at the old ballot is told at that one
	n.cancelProposals()
	l.ballot, l.promise, n.campaign = c.ballot, n.acceptor.promiseLSN, nil
	n.proposeAgain()
	n.sendHeartbeats()
	return true
}

// ownVotesOnly says whether phase 1 met no vote but for values this leader has
// proposed in the slot, and for chosen ones.
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

// proposeAgain asks for votes at the new ballot for all that is undecided.
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

// tendBoost does what a boosting leader owes to time.
func (n *Node) tendBoost() {
	switch {
	case !n.hasLease():
		n.stepDownToCandidate()
	case !n.now.Before(n.prepareDue):
		n.tendCampaign()
	}
}

// lapse ends a tenure whose lease ran out during a boost. The node is a
// candidate like others then, with the answers it has.
func (n *Node) stepDownToCandidate() {
	campaign := n.campaign
	n.stepDown()
	n.campaign = campaign
}
