package paxos

import (
	"time"

	"github.com/chubbycell/chubby/internal/instant"
)

// leadership is phase 2 (PMS §2.2), once phase 1 is over: a stable leader gives
// each further slot its value with one round of Accept (PMS §3, P2.05). First
// come the values that phase 1 demanded, then commands, as batches, never more
// than the window ahead of the first slot not known as chosen.
type leadership struct {
	ballot       Ballot
	promise      LSN     // record of this node's own promise of ballot
	firstOwn     Slot    // first slot of its own: above all that phase 1 closed
	next         Slot    // next slot to propose in
	demanded     []Value // by phase 1, for the slots from next on
	proposals    slotLog[proposal]
	unannounced  []Range // chosen here, not yet told
	timer        retransmitTimer
	resendDue    time.Time
	heartbeatDue time.Time // next heartbeat is due
	heartbeatSeq uint64
	lastHeard    []time.Time // last answer of each member, by index in group
	lease        leaderLease
	group        *Group
}

// proposal is a value on its way through one slot.
type proposal struct {
	value      Value
	votes      Tally
	proposedAt time.Time
	resendDue  time.Time     // send again to who has not voted
	resendWait time.Duration // before it is due
	repeated   bool          // it was sent again
	chosen     bool
}

func newLeadership(c *campaign, promise LSN, demanded []Value, cfg *Config, now time.Time) *leadership {
	l := &leadership{
		ballot:       c.ballot,
		promise:      promise,
		timer:        newRetransmitTimer(cfg.Retransmit),
		firstOwn:     c.start + Slot(len(demanded)),
		next:         c.start,
		demanded:     demanded,
		proposals:    slotLog[proposal]{base: c.start},
		heartbeatDue: now,
		group:        c.group,
		lastHeard:    make([]time.Time, len(c.group.ids)),
		lease:        leaderLease{term: cfg.Lease.Term(), ends: make([]time.Time, len(c.group.ids))},
	}
	for i := range l.lastHeard {
		l.lastHeard[i] = now
	}
	return l
}

// hear notes that a member answered.
func (l *leadership) noteHeard(id NodeID, now time.Time) {
	if i := l.group.index(id); i >= 0 {
		l.lastHeard[i] = now
	}
}

// quorumHeard is the latest instant by which a quorum, the leader included, had
// answered: the majority-th latest answer.
func (l *leadership) quorumHeardAt(self NodeID, now time.Time) time.Time {
	l.noteHeard(self, now)
	return latest(l.lastHeard, l.group.Quorum())
}

// announce notes that the value proposed in s was chosen; runs of slots are
// told in one message.
func (l *leadership) noteChosen(s Slot) {
	if n := len(l.unannounced); n > 0 && l.unannounced[n-1].To == s {
		l.unannounced[n-1].To = s + 1
		return
	}
	l.unannounced = append(l.unannounced, Range{From: s, To: s + 1})
}

// pump proposes what the window has room for.
func (n *Node) proposePending() {
	l := n.lead
	if n.learner.known.end() > max(l.next, l.firstOwn) {
		// A slot is chosen in which this leader never proposed: somebody leads
		// at a higher ballot, and a command put there would be lost.
		n.stepDown()
		n.election.postpone(n.now)
		return
	}
	l.proposals.drop(n.learner.firstOpen)
	if n.campaign != nil {
		return // votes at this ballot are about to be refused
	}
	for l.next < n.learner.firstOpen+Slot(n.cfg.Window) {
		switch {
		case len(l.demanded) > 0:
			value := l.demanded[0]
			l.demanded = l.demanded[1:]
			if value == Noop {
				n.count.NoopFilled++
			}
			n.proposeNext(value)
		case n.pending.len() > 0:
			n.proposeNext(n.pending.batch(n.batchLimits))
		default:
			return
		}
	}
	if n.pending.len() > 0 || len(l.demanded) > 0 {
		n.count.WindowFull++
	}
}

// propose puts value into the next slot, unless that slot is known as chosen by
// now, which only a demanded value can meet: it is the chosen one then.
func (n *Node) proposeNext(value Value) {
	l := n.lead
	s := l.next
	l.next++
	if n.learner.isChosen(s) {
		return
	}
	p := l.proposals.grow(s)
	*p = proposal{
		value:      value,
		votes:      NewTally(n.members.at(s)),
		proposedAt: n.now,
		resendWait: l.timer.first,
		resendDue:  n.now.Add(l.timer.first),
	}
	l.resendDue = instant.Earliest(l.resendDue, p.resendDue)
	n.sendAccepts(s, p)
}

// accept asks all who vote on s for their vote.
func (n *Node) sendAccepts(s Slot, p *proposal) {
	var m Message = Accept{Ballot: n.lead.ballot, Boot: n.boot, Slot: s, Value: p.value} // one copy for all
	for _, id := range p.votes.group.ids {
		n.outbox.post(n.lead.promise, id, m)
	}
}

// onAccepted counts a vote. Only distinct members count, only votes at the
// present ballot, asked for in this life.
func (n *Node) onAccepted(from NodeID, m Accepted) {
	l := n.lead
	if l == nil || m.Ballot != l.ballot || m.Boot != n.boot {
		n.count.Stale++
		return
	}
	l.noteHeard(from, n.now)
	p := l.proposals.get(m.Slot)
	if p == nil || p.votes.group == nil || p.chosen || !p.votes.Add(from) || !p.votes.HasQuorum() {
		return
	}
	p.chosen = true
	if p.repeated {
		l.timer.onRepeated(p.resendWait)
	} else {
		l.timer.onAnswered(n.now.Sub(p.proposedAt))
	}
	l.noteChosen(m.Slot)
	n.learn(m.Slot, p.value)
}

// retransmit sends Accepts again to those that have not voted (P11.03, hole 2).
// The node's own, which cannot be lost, only waits for its disk.
func (n *Node) retransmit() {
	l := n.lead
	l.resendDue = time.Time{}
	for s := l.proposals.base; s < l.proposals.end(); s++ {
		p := l.proposals.get(s)
		if p.votes.group == nil || p.chosen || n.learner.isChosen(s) {
			continue
		}
		if !p.resendDue.After(n.now) {
			p.resendWait, p.repeated = l.timer.backoff(p.resendWait), true
			p.resendDue = n.now.Add(p.resendWait)
			n.resendAccepts(s, p)
		}
		l.resendDue = instant.Earliest(l.resendDue, p.resendDue)
	}
}

func (n *Node) resendAccepts(s Slot, p *proposal) {
	var m Message = Accept{Ballot: n.lead.ballot, Boot: n.boot, Slot: s, Value: p.value}
	for _, id := range p.votes.group.ids {
		if id != n.cfg.ID && !p.votes.Has(id) {
			n.count.Retransmitted++
			n.outbox.post(n.lead.promise, id, m)
		}
	}
}

// tell sends the news of chosen slots.
func (n *Node) sendChosen() {
	l := n.lead
	for _, r := range l.unannounced {
		var m Message = Chosen{Ballot: l.ballot, Slots: r}
		n.members.peers(n.cfg.ID, func(id NodeID) { n.outbox.post(0, id, m) })
	}
	l.unannounced = l.unannounced[:0]
}

// heartbeat says that this node leads, and asks for grants: with leases, its own
// acceptor too.
func (n *Node) sendHeartbeats() {
	l := n.lead
	l.heartbeatSeq++
	l.heartbeatDue = n.now.Add(n.cfg.Heartbeat)
	l.lease.noteAsked(l.heartbeatSeq, n.now)
	var m Message = Heartbeat{Ballot: l.ballot, Boot: n.boot, Seq: l.heartbeatSeq, FirstOpen: n.learner.firstOpen, Lease: n.cfg.Lease}
	for _, id := range l.group.ids {
		if id != n.cfg.ID || n.cfg.Lease.isEnabled() {
			n.outbox.post(n.lead.promise, id, m)
		}
	}
}

func (n *Node) onHeartbeatReply(from NodeID, m HeartbeatReply) {
	l := n.lead
	if l == nil || m.Ballot != l.ballot || m.Boot != n.boot {
		n.count.Stale++
		if m.Granted {
			n.count.StaleGrants++
		}
		return
	}
	l.noteHeard(from, n.now)
	if m.Granted && !l.lease.onGranted(l.group.index(from), m.Seq, n.now) {
		n.count.StaleGrants++
	}
	if from != n.cfg.ID {
		n.catchup.noteFirstOpen(from, m.FirstOpen)
	}
}
