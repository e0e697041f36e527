package paxos

import (
	"time"

	"github.com/chubbycell/chubby/internal/draw"
)

// election says when this node should campaign, and at which round. It can only
// suggest: whatever it suggests, at worst costs time. Safety is in acceptor.go
// and proposer.go.
type election struct {
	min, max time.Duration
	draws    draw.Stream
	deadline time.Time // campaign when nothing was heard until then
	round    uint64    // highest seen in any ballot
	defeats  uint      // campaigns lost in a row
}

// sees notes a ballot of somebody, so that the next campaign is above it.
func (e *election) observe(b Ballot) { e.round = max(e.round, b.Round) }

// heard puts the next campaign off: a leader, or a candidate that got our
// promise, is at work.
func (e *election) postpone(now time.Time) {
	e.deadline = now.Add(e.draws.Duration(e.min, e.max))
}

// settled notes that somebody leads; duels are over.
func (e *election) onLeader(now time.Time) {
	e.defeats = 0
	e.postpone(now)
}

// after puts the next campaign off until some time after t.
func (e *election) postponeAfter(t time.Time) {
	e.deadline = t.Add(e.draws.Duration(0, e.max-e.min))
}

// defeated puts the next campaign off by a time whose spread doubles with each
// defeat: two candidates that refuse each other must fall out of step.
func (e *election) onDefeat(now time.Time) {
	e.defeats = min(e.defeats+1, 5)
	e.deadline = now.Add(e.draws.Duration(e.min, e.max<<e.defeats))
}

// campaign starts phase 1 at a ballot above all seen, unless it leads. Where the
// node has given its word, it waits until that has run out, and a little, not to
// be one of several that come at once.
func (n *Node) tryCampaign() {
	if until := n.grants.promiseBarredUntil(n.cfg.ID); until.After(n.now) {
		n.count.Waited++
		n.election.postponeAfter(until)
		return
	}
	n.dropAttempt()
	n.setLeader(0, Ballot{})
	n.startCampaign()
	n.count.Campaigns++
}

// bidAbove starts phase 1 at a ballot above all seen.
func (n *Node) startCampaign() {
	n.election.round++
	b := Ballot{Round: n.election.round, Node: n.cfg.ID}
	n.campaign = newCampaign(b, n.learner.firstOpen, n.members.at(n.learner.firstOpen))
	n.prepareWait = n.cfg.Retransmit
	n.sendPrepares()
}

// ask sends Prepare to every member that has not told all, and sets the time to
// ask again (P11.03, hole 1).
func (n *Node) sendPrepares() {
	n.campaign.skipBelow(n.learner.firstOpen)
	for _, id := range n.campaign.group.ids {
		n.sendPrepare(id)
	}
	n.prepareDue = n.now.Add(n.prepareWait)
	n.prepareWait = min(2*n.prepareWait, 16*n.cfg.Retransmit)
}

// tendBid does what a candidate owes to time.
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

// onPromise takes one page of phase 1, asks for the next, and begins to lead
// when a quorum has told all.
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

// conclude begins to lead if phase 1 can say what it demands. It is asked after
// each complete answer, and again from time to time, because catch-up may have
// learnt a slot whose votes are unreadable.
func (n *Node) conclude() {
	n.campaign.skipBelow(n.learner.firstOpen)
	if n.acceptor.promised != n.campaign.ballot {
		return // its own acceptor has given its word to another meanwhile
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

// onNack gives up: somebody was promised more. One that names another ballot
// than the present attempt is old news (P11.04). A leader with a lease goes above
// instead; that its own boost is in the way is no news.
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
