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
func (e *election) sees(b Ballot) { e.round = max(e.round, b.Round) }

// heard puts the next campaign off: a leader, or a candidate that got our
// promise, is at work.
func (e *election) heard(now time.Time) {
	e.deadline = now.Add(e.draws.Duration(e.min, e.max))
}

// settled notes that somebody leads; duels are over.
func (e *election) settled(now time.Time) {
	e.defeats = 0
	e.heard(now)
}

// after puts the next campaign off until some time after t.
func (e *election) after(t time.Time) {
	e.deadline = t.Add(e.draws.Duration(0, e.max-e.min))
}

// defeated puts the next campaign off by a time whose spread doubles with each
// defeat: two candidates that refuse each other must fall out of step.
func (e *election) defeated(now time.Time) {
	e.defeats = min(e.defeats+1, 5)
	e.deadline = now.Add(e.draws.Duration(e.min, e.max<<e.defeats))
}

// campaign starts phase 1 at a ballot above all seen, unless it leads. Where the
// node has given its word, it waits until that has run out, and a little, not to
// be one of several that come at once.
func (n *Node) campaign() {
	if bars := n.grants.barsPromise(n.cfg.ID); bars.After(n.now) {
		n.count.Waited++
		n.election.after(bars)
		return
	}
	n.retire()
	n.follow(0, Ballot{})
	n.bidAbove()
	n.count.Campaigns++
}

// bidAbove starts phase 1 at a ballot above all seen.
func (n *Node) bidAbove() {
	n.election.round++
	b := Ballot{Round: n.election.round, Node: n.cfg.ID}
	n.bid = newCampaign(b, n.learner.firstOpen, n.members.at(n.learner.firstOpen))
	n.bidWait = n.cfg.Retransmit
	n.ask()
}

// ask sends Prepare to every member that has not told all, and sets the time to
// ask again (P11.03, hole 1).
func (n *Node) ask() {
	n.bid.skip(n.learner.firstOpen)
	for _, id := range n.bid.group.ids {
		n.askOne(id)
	}
	n.bidDue = n.now.Add(n.bidWait)
	n.bidWait = min(2*n.bidWait, 16*n.cfg.Retransmit)
}

// tendBid does what a candidate owes to time.
func (n *Node) tendBid() {
	n.conclude()
	if n.bid != nil {
		n.ask()
	}
}

func (n *Node) askOne(id NodeID) {
	if from := n.bid.asks(id); from != MaxSlot {
		n.gate.post(0, id, Prepare{Ballot: n.bid.ballot, Boot: n.boot, From: from})
	}
}

// onPromise takes one page of phase 1, asks for the next, and begins to lead
// when a quorum has told all.
func (n *Node) onPromise(from NodeID, m Promise) {
	if n.bid == nil || m.Ballot != n.bid.ballot || m.Boot != n.boot {
		n.count.Stale++
		if n.bid != nil && m.Ballot == n.bid.ballot {
			n.count.StaleBoots++
		}
		return
	}
	n.catchup.note(from, m.FirstOpen)
	if len(m.Votes) > 0 && n.tooFar(m.Votes[len(m.Votes)-1].Slot) {
		n.count.TooFar++
		return
	}
	n.bid.skip(n.learner.firstOpen)
	if !n.bid.add(from, m) {
		n.count.Stale++
		return
	}
	if m.Page.To != MaxSlot {
		n.askOne(from)
		return
	}
	n.count.UnreadableVotes += n.bid.unreadable(from)
	n.conclude()
}

// conclude begins to lead if phase 1 can say what it demands. It is asked after
// each complete answer, and again from time to time, because catch-up may have
// learnt a slot whose votes are unreadable.
func (n *Node) conclude() {
	n.bid.skip(n.learner.firstOpen)
	if n.acceptor.promised != n.bid.ballot {
		return // its own acceptor has given its word to another meanwhile
	}
	if values, ok := n.bid.result(); ok {
		n.count.DecidedUnread += n.bid.unread()
		if n.lead != nil && n.boosted() {
			return
		}
		n.begin(values)
	} else {
		n.verifyWaits(n.bid)
	}
}

// onNack gives up: somebody was promised more. One that names another ballot
// than the present attempt is old news (P11.04). A leader with a lease goes above
// instead; that its own boost is in the way is no news.
func (n *Node) onNack(_ NodeID, m Nack) {
	n.election.sees(m.Promised)
	if m.Boot != n.boot || !n.attempts(m.Ballot) {
		n.count.Stale++
		return
	}
	if n.lead != nil && n.bid != nil && !n.bid.ballot.Less(m.Promised) {
		return
	}
	if n.lead != nil && n.boost() {
		return
	}
	n.yield()
	n.election.defeated(n.now)
}
