package replicas

import (
	"time"

	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/sim"
)

// quorumLoss is when a leader last had a reply of each member, by its clock. A leader must
// not step down for a silent quorum while a quorum, itself included, is not silent. It would
// cost all sessions a fail-over for nothing, again and again, since it would be elected once
// more.
type quorumLoss struct {
	lastReply map[paxos.NodeID]time.Time // since it began to lead; nil: it does not lead
	since     time.Time
	losses    uint64 // how often it has stepped down for silence
}

// onLead records that the replica begins to lead.
func (q *quorumLoss) onLead(now time.Time) { q.lastReply, q.since = map[paxos.NodeID]time.Time{}, now }

// isLeading reports that the replica leads, as far as was recorded.
func (q *quorumLoss) isLeading() bool { return q.lastReply != nil }

// onMessage records a message before the replica takes it. Replies to its present ballot in
// this life count.
func (q *quorumLoss) onMessage(now time.Time, leader paxos.Status, from paxos.NodeID, m paxos.Message) {
	if leader.Role != paxos.Leader {
		return
	}
	var to paxos.Ballot
	var boot paxos.Boot
	switch m := m.(type) {
	case paxos.Accepted:
		to, boot = m.Ballot, m.Boot
	case paxos.HeartbeatReply:
		to, boot = m.Ballot, m.Boot
	}
	if to == leader.Ballot && boot == leader.Boot {
		q.lastReply[from] = now
	}
}

// onActed checks the end of a step: a leader that stepped down because a quorum was silent
// must have been without replies from a quorum of members, itself counted as one, for limit
// (L1).
func (q *quorumLoss) onActed(w *sim.World, now time.Time, members int, limit time.Duration, r paxos.Status) {
	gaveUp := r.Count.QuorumLost > q.losses
	q.losses = r.Count.QuorumLost
	if !gaveUp {
		if r.Role != paxos.Leader {
			q.lastReply = nil
		}
		return
	}
	lastReply := 1
	for i := range members {
		id := paxos.NodeID(i + 1)
		at, answered := q.lastReply[id]
		if !answered {
			at = q.since
		}
		if id != r.ID && now.Sub(at) <= limit {
			lastReply++
		}
	}
	if lastReply > members/2 {
		w.Diverge("L1", "replica %d steps down because a quorum is silent, but it has heard %d of %d, itself among them, within %v",
			r.ID, lastReply, members, limit)
	}
	q.lastReply = nil
}
