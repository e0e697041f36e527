package paxos

import (
	"time"

	"github.com/chubbycell/chubby/internal/draw"
)

// election decides when this node campaigns, and at which round. A bad choice only costs time:
// safety is in acceptor.go and proposer.go.
type election struct {
	min, max time.Duration
	spread   time.Duration // when a leader is gone, candidates begin within this time
	draws    draw.Stream
	deadline time.Time // campaign unless a leader or candidate was heard before
	round    uint64    // highest seen in any ballot
	defeats  uint      // campaigns lost in a row
}

// observe records a ballot of any node, so that the next campaign is above it.
func (e *election) observe(b Ballot) { e.round = max(e.round, b.Round) }

// postpone delays the next campaign, because a leader, or a candidate to which this node has
// promised, is at work.
func (e *election) postpone(now time.Time) {
	e.deadline = now.Add(e.draws.Duration(e.min, e.max))
}

// onLeader records that some node leads; duels are over.
func (e *election) onLeader(now time.Time) {
	e.defeats = 0
	e.postpone(now)
}

// campaignAfter sets the next campaign to a random time soon after t, when no leader will be at
// work. The time is random so that not several candidates begin at once.
func (e *election) campaignAfter(t time.Time) {
	e.deadline = t.Add(e.draws.Duration(0, e.spread))
}

// onDefeat delays the next campaign by a random time, whose range doubles with each defeat: two
// candidates that refuse each other must fall out of step.
func (e *election) onDefeat(now time.Time) {
	e.defeats = min(e.defeats+1, 5)
	e.deadline = now.Add(e.draws.Duration(e.min, e.max<<e.defeats))
}

// tryCampaign starts a campaign of a node that does not lead. While a grant of the node to another
// node runs, it waits until the grant ends, and then for a random time.
func (n *Node) tryCampaign() {
	if until := n.grants.promiseBarredUntil(n.cfg.ID); until.After(n.now) {
		n.count.Waited++
		n.election.campaignAfter(until)
		return
	}
	n.dropAttempt()
	n.setLeader(0, Ballot{})
	n.startCampaign()
	n.count.Campaigns++
}

// startCampaign starts phase 1 at a ballot above all that this life has seen and above
// the promise on disk. An earlier life may have used the same ballot, if it crashed before
// its promise was durable ("Ballots that come back" in doc.go).
func (n *Node) startCampaign() {
	n.election.round++
	b := Ballot{Round: n.election.round, Node: n.cfg.ID}
	n.campaign = newCampaign(b, n.learner.firstOpen, n.members.at(n.learner.firstOpen))
	n.prepareWait = n.cfg.Retransmit
	n.sendPrepares()
}

// sendPrepares is phase 1a: it sends Prepare to every member whose answer is not
// complete, and sets the time to send it again (P11.03, hole 1).
func (n *Node) sendPrepares() {
	n.campaign.skipBelow(n.learner.firstOpen)
	for _, id := range n.campaign.group.ids {
		n.sendPrepare(id)
	}
	n.prepareDue = n.now.Add(n.prepareWait)
	n.prepareWait = min(2*n.prepareWait, 16*n.cfg.Retransmit)
}

// tendCampaign decides phase 1 if that has become possible, or sends Prepare again.
func (n *Node) tendCampaign() {
	n.conclude()
	if n.campaign != nil {
		n.sendPrepares()
	}
}

func (n *Node) sendPrepare(id NodeID) {
	if from := n.campaign.nextSlot(id); from != MaxSlot {
		n.outbox.post(0, id, Prepare{Ballot: n.campaign.ballot, Boot: n.boot, From: from})
	}
}

// onPromise takes one page of phase 1b, asks for the next, and begins to lead when the
// answers of a quorum are complete.
func (n *Node) onPromise(from NodeID, m Promise) {
	if n.campaign == nil || m.Ballot != n.campaign.ballot || m.Boot != n.boot {
		n.count.Stale++
		if n.campaign != nil && m.Ballot == n.campaign.ballot {
			n.count.StaleBoots++
		}
		return
	}
	n.catchup.noteFirstOpen(from, m.FirstOpen)
	if len(m.Votes) > 0 && n.isTooFar(m.Votes[len(m.Votes)-1].Slot) {
		n.count.TooFar++
		return
	}
	n.campaign.skipBelow(n.learner.firstOpen)
	if !n.campaign.addPage(from, m) {
		n.count.Stale++
		return
	}
	if m.Page.To != MaxSlot {
		n.sendPrepare(from)
		return
	}
	n.count.UnreadableVotes += n.campaign.unreadableOf(from)
	n.conclude()
}

// conclude begins to lead if phase 1 has a result. It is called after each complete answer. It is
// also called with each repetition of Prepare, because catch-up may have learnt a slot whose votes
// are unreadable.
func (n *Node) conclude() {
	n.campaign.skipBelow(n.learner.firstOpen)
	if n.acceptor.promised != n.campaign.ballot {
		return // its own acceptor has promised another ballot meanwhile, or not yet this one
	}
	if values, ok := n.campaign.result(); ok {
		n.count.DecidedUnread += n.campaign.unreadableInQuorum()
		if n.lead != nil && n.finishBoost() {
			return
		}
		n.startLeading(values)
	} else {
		n.verifyWaits(n.campaign)
	}
}

// onNack steps down, because an acceptor promised a higher ballot. A Nack that names another ballot
// than the present attempt is stale (P11.04). A leader with a lease starts a boost above the higher
// ballot instead, unless that ballot is the one of its own boost.
func (n *Node) onNack(_ NodeID, m Nack) {
	n.election.observe(m.Promised)
	if m.Boot != n.boot || !n.isOwnAttempt(m.Ballot) {
		n.count.Stale++
		return
	}
	if n.lead != nil && n.campaign != nil && !n.campaign.ballot.Less(m.Promised) {
		return
	}
	if n.lead != nil && n.startBoost() {
		return
	}
	n.stepDown()
	n.election.onDefeat(n.now)
}
