package paxos

import (
	"time"

	"github.com/chubbycell/chubby/internal/instant"
)

// leadership is phase 2 (PMS §2.2), after phase 1 of its ballot: a stable leader gives each further
// slot its value with one round of Accept (PMS §3, P2.05). It first proposes the values that phase
// 1 demands, and then commands, in batches. It is never more than the window ahead of the first
// slot not known to be chosen.
type leadership struct {
	ballot       Ballot
	promise      LSN     // of this node's own Promised record of ballot
	firstOwn     Slot    // first slot for its own commands: above all slots that phase 1 demands values for
	next         Slot    // next slot to propose in
	demanded     []Value // by phase 1, for the slots from next on
	proposals    slotLog[proposal]
	unannounced  []Range // chosen here, not yet in a Chosen message
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
	resendDue  time.Time     // send again to the members that have not voted
	resendWait time.Duration // the present interval between two sendings
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

// noteHeard records that a member answered.
func (l *leadership) noteHeard(id NodeID, now time.Time) {
	if i := l.group.index(id); i >= 0 {
		l.lastHeard[i] = now
	}
}

// quorumHeardAt returns the instant since which a quorum, including the leader, has answered: the
// quorum-th latest of the last answers.
func (l *leadership) quorumHeardAt(self NodeID, now time.Time) time.Time {
	l.noteHeard(self, now)
	return latest(l.lastHeard, l.group.Quorum())
}

// noteChosen records for the next Chosen message that the value proposed in s was chosen; a run of
// slots goes into one message.
func (l *leadership) noteChosen(s Slot) {
	if n := len(l.unannounced); n > 0 && l.unannounced[n-1].To == s {
		l.unannounced[n-1].To = s + 1
		return
	}
	l.unannounced = append(l.unannounced, Range{From: s, To: s + 1})
}

// proposePending proposes the demanded values and the waiting commands, as many as the
// window has room for.
func (n *Node) proposePending() {
	l := n.lead
	if n.learner.known.end() > max(l.next, l.firstOwn) {
		// A slot is chosen in which this leader never proposed: another node leads at
		// a higher ballot, and a command proposed there would be lost.
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

// proposeNext proposes value in the next slot, unless that slot is known to be chosen by now. Only
// a demanded value can meet a chosen slot, and is then the chosen value.
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

// sendAccepts is phase 2a: it asks each member for its vote in s.
func (n *Node) sendAccepts(s Slot, p *proposal) {
	var m Message = Accept{Ballot: n.lead.ballot, Boot: n.boot, Slot: s, Value: p.value} // one copy for all members
	for _, id := range p.votes.group.ids {
		n.outbox.post(n.lead.promise, id, m)
	}
}

// onAccepted counts a vote of phase 2b; a quorum of votes chooses the value. A vote counts only if
// it is at the present ballot and was requested in this life; each member counts once.
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
	n.chosenIn.Add(n.now.Sub(p.proposedAt))
	if p.repeated {
		l.timer.onRepeated(p.resendWait)
	} else {
		l.timer.onAnswered(n.now.Sub(p.proposedAt))
	}
	l.noteChosen(m.Slot)
	n.learn(m.Slot, p.value)
}

// retransmit sends Accepts that are due again, to the members that have not voted
// (P11.03, hole 2). The Accept to the node itself cannot be lost; its vote waits for its
// disk.
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

// sendChosen announces the slots that were chosen since the last call.
func (n *Node) sendChosen() {
	l := n.lead
	for _, r := range l.unannounced {
		var m Message = Chosen{Ballot: l.ballot, Slots: r}
		n.members.peers(n.cfg.ID, func(id NodeID) { n.outbox.post(0, id, m) })
	}
	l.unannounced = l.unannounced[:0]
}

// sendHeartbeats tells all members that this node leads, and asks them for grants; with
// leases, its own acceptor too.
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
