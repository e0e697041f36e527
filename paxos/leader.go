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
	ballot    Ballot
	promise   LSN     // record of this node's own promise of ballot
	from      Slot    // first slot of its own: above all that phase 1 closed
	next      Slot    // next slot to propose in
	demanded  []Value // by phase 1, for the slots from next on
	props     span[proposal]
	announced []Range // chosen here, not yet told
	patience  patience
	resend    time.Time
	beat      time.Time // next heartbeat is due
	beats     uint64
	heard     []time.Time // last answer of each member, by index in group
	lease     holding
	group     *Group
}

// proposal is a value on its way through one slot.
type proposal struct {
	value  Value
	votes  Tally
	began  time.Time
	due    time.Time     // send again to who has not voted
	wait   time.Duration // before it is due
	again  bool          // it was sent again
	chosen bool
}

func newLeadership(c *campaign, promise LSN, demanded []Value, cfg *Config, now time.Time) *leadership {
	l := &leadership{
		ballot:   c.ballot,
		promise:  promise,
		patience: newPatience(cfg.Retransmit),
		from:     c.start + Slot(len(demanded)),
		next:     c.start,
		demanded: demanded,
		props:    span[proposal]{base: c.start},
		beat:     now,
		group:    c.group,
		heard:    make([]time.Time, len(c.group.ids)),
		lease:    holding{term: cfg.Lease.Term(), ends: make([]time.Time, len(c.group.ids))},
	}
	for i := range l.heard {
		l.heard[i] = now
	}
	return l
}

// hear notes that a member answered.
func (l *leadership) hear(id NodeID, now time.Time) {
	if i := l.group.index(id); i >= 0 {
		l.heard[i] = now
	}
}

// quorumHeard is the latest instant by which a quorum, the leader included, had
// answered: the majority-th latest answer.
func (l *leadership) quorumHeard(self NodeID, now time.Time) time.Time {
	l.hear(self, now)
	return latest(l.heard, l.group.Quorum())
}

// announce notes that the value proposed in s was chosen; runs of slots are
// told in one message.
func (l *leadership) announce(s Slot) {
	if n := len(l.announced); n > 0 && l.announced[n-1].To == s {
		l.announced[n-1].To = s + 1
		return
	}
	l.announced = append(l.announced, Range{From: s, To: s + 1})
}

// pump proposes what the window has room for.
func (n *Node) pump() {
	l := n.lead
	if n.learner.known.end() > max(l.next, l.from) {
		// A slot is chosen in which this leader never proposed: somebody leads
		// at a higher ballot, and a command put there would be lost.
		n.yield()
		n.election.heard(n.now)
		return
	}
	l.props.drop(n.learner.firstOpen)
	if n.bid != nil {
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
			n.propose(value)
		case n.pending.len() > 0:
			n.propose(n.pending.batch(n.batchLimits))
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
func (n *Node) propose(value Value) {
	l := n.lead
	s := l.next
	l.next++
	if n.learner.isChosen(s) {
		return
	}
	p := l.props.grow(s)
	*p = proposal{
		value: value,
		votes: NewTally(n.members.at(s)),
		began: n.now,
		wait:  l.patience.wait,
		due:   n.now.Add(l.patience.wait),
	}
	l.resend = instant.Earliest(l.resend, p.due)
	n.accept(s, p)
}

// accept asks all who vote on s for their vote.
func (n *Node) accept(s Slot, p *proposal) {
	var m Message = Accept{Ballot: n.lead.ballot, Boot: n.boot, Slot: s, Value: p.value} // one copy for all
	for _, id := range p.votes.group.ids {
		n.gate.post(n.lead.promise, id, m)
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
	l.hear(from, n.now)
	p := l.props.get(m.Slot)
	if p == nil || p.votes.group == nil || p.chosen || !p.votes.Add(from) || !p.votes.Reached() {
		return
	}
	p.chosen = true
	if p.again {
		l.patience.repeated(p.wait)
	} else {
		l.patience.answered(n.now.Sub(p.began))
	}
	l.announce(m.Slot)
	n.learn(m.Slot, p.value)
}

// retransmit sends Accepts again to those that have not voted (P11.03, hole 2).
// The node's own, which cannot be lost, only waits for its disk.
func (n *Node) retransmit() {
	l := n.lead
	l.resend = time.Time{}
	for s := l.props.base; s < l.props.end(); s++ {
		p := l.props.get(s)
		if p.votes.group == nil || p.chosen || n.learner.isChosen(s) {
			continue
		}
		if !p.due.After(n.now) {
			p.wait, p.again = l.patience.next(p.wait), true
			p.due = n.now.Add(p.wait)
			n.resend(s, p)
		}
		l.resend = instant.Earliest(l.resend, p.due)
	}
}

func (n *Node) resend(s Slot, p *proposal) {
	var m Message = Accept{Ballot: n.lead.ballot, Boot: n.boot, Slot: s, Value: p.value}
	for _, id := range p.votes.group.ids {
		if id != n.cfg.ID && !p.votes.Has(id) {
			n.count.Retransmitted++
			n.gate.post(n.lead.promise, id, m)
		}
	}
}

// tell sends the news of chosen slots.
func (n *Node) tell() {
	l := n.lead
	for _, r := range l.announced {
		var m Message = Chosen{Ballot: l.ballot, Slots: r}
		n.members.peers(n.cfg.ID, func(id NodeID) { n.gate.post(0, id, m) })
	}
	l.announced = l.announced[:0]
}

// heartbeat says that this node leads, and asks for grants: with leases, its own
// acceptor too.
func (n *Node) heartbeat() {
	l := n.lead
	l.beats++
	l.beat = n.now.Add(n.cfg.Heartbeat)
	l.lease.ask(l.beats, n.now)
	var m Message = Heartbeat{Ballot: l.ballot, Boot: n.boot, Seq: l.beats, FirstOpen: n.learner.firstOpen, Lease: n.cfg.Lease}
	for _, id := range l.group.ids {
		if id != n.cfg.ID || n.cfg.Lease.on() {
			n.gate.post(n.lead.promise, id, m)
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
	l.hear(from, n.now)
	if m.Granted && !l.lease.granted(l.group.index(from), m.Seq, n.now) {
		n.count.StaleGrants++
	}
	if from != n.cfg.ID {
		n.catchup.note(from, m.FirstOpen)
	}
}
