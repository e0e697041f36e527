package paxos

import (
	"math/bits"

	"github.com/stretchr/testify/require"
)

// take carries out what a node wants, and looks at all of it.
func (m *model) take(id NodeID) {
	r := m.member(id)
	out := r.node.TakeOutput()
	r.wake = out.Wake
	for _, rec := range out.Append {
		m.checkRecord(id, rec)
	}
	r.disk.write(m.t, out)
	for _, e := range out.Chosen {
		m.checkEntry(id, e)
	}
	if out.Behind != nil {
		r.lacks = out.Behind.Floor - 1
	}
	if len(out.Chosen) > 0 {
		r.node.Applied(out.Chosen[len(out.Chosen)-1].Slot)
	}
	for _, e := range out.Send {
		m.checkMessage(id, e.Message)
		m.bag = append(m.bag, wire{from: id, to: e.To, m: e.Message})
	}
	if out.SyncTo >= r.disk.first+LSN(len(r.disk.pending)) {
		m.failf("node %d waits for record %d, which it never wrote", id, out.SyncTo)
	}
}

// observe looks at a vote that is on a disk now. One ballot has one value in a
// slot; what a quorum voted for is chosen; after that, no vote at that ballot or
// above has another value.
func (m *model) observe(id NodeID, v Voted) {
	k := voteKey{v.Slot, v.Ballot}
	if old, ok := m.votes[k]; ok && old != v.Value {
		m.failf("slot %d ballot %v has two values: %v, and %v at node %d", v.Slot, v.Ballot, old, v.Value, id)
	}
	m.votes[k] = v.Value
	m.voters[k] |= 1 << id
	c, decided := m.chosen[v.Slot]
	if decided && !v.Ballot.Less(c.Ballot) && v.Value != c.Value {
		m.failf("slot %d: node %d votes for %v at %v after %v was chosen at %v", v.Slot, id, v.Value, v.Ballot, c.Value, c.Ballot)
	}
	if bits.OnesCount64(m.voters[k]) <= len(m.nodes)/2 {
		return
	}
	if decided && c.Value != v.Value {
		m.failf("slot %d: chosen as %v at %v and as %v at %v", v.Slot, c.Value, c.Ballot, v.Value, v.Ballot)
	}
	if !decided || v.Ballot.Less(c.Ballot) {
		m.chosen[v.Slot] = Vote{Slot: v.Slot, Ballot: v.Ballot, Value: v.Value}
		for other, value := range m.votes {
			if other.slot == v.Slot && v.Ballot.Less(other.ballot) && value != v.Value {
				m.failf("slot %d: %v was chosen at %v, and there is a vote for %v at %v", v.Slot, v.Value, v.Ballot, value, other.ballot)
			}
		}
	}
	for _, ok := m.chosen[m.prefix]; ok; _, ok = m.chosen[m.prefix] {
		m.prefix++
	}
}

// isChosen fails unless a quorum of disks chose value.
func (m *model) isChosen(id NodeID, s Slot, value Value) {
	c, ok := m.chosen[s]
	if !ok {
		m.failf("node %d takes %v for chosen in slot %d; nothing is", id, value, s)
	}
	if c.Value != value {
		m.failf("node %d takes %v for chosen in slot %d; it is %v", id, value, s, c.Value)
	}
}

// checkRecord looks at what a node writes.
func (m *model) checkRecord(id NodeID, rec Record) {
	kind, tag, data := EncodeRecord(rec)
	again, err := DecodeRecord(kind, tag[:], data)
	require.NoError(m.t, err)
	require.Equal(m.t, rec, again)
	switch rec := rec.(type) {
	case Voted:
		if rec.Ballot.Less(m.member(id).told) {
			m.failf("node %d votes at %v, and had promised %v", id, rec.Ballot, m.member(id).told)
		}
	case Learned:
		m.isChosen(id, rec.Slot, rec.Value)
	}
}

// checkEntry looks at what a node hands out: in order, without gaps, only what
// was chosen, and every command in one slot only.
func (m *model) checkEntry(id NodeID, e Entry) {
	r := m.member(id)
	require.Equal(m.t, r.next, e.Slot, "node %d hands out slots in order", id)
	r.next++
	m.isChosen(id, e.Slot, e.Value)
	for _, c := range e.Value.Commands {
		s, ok := m.commands[c]
		if !ok || s != 0 && s != e.Slot {
			m.failf("node %d hands out %q in slot %d; proposed: %t, seen in slot %d", id, c, e.Slot, ok, s)
		}
		m.commands[c] = e.Slot
	}
}

// checkMessage looks at what leaves a machine: nothing before the disk has what
// it stands on, and no fact that is none.
func (m *model) checkMessage(id NodeID, msg Message) {
	r := m.member(id)
	if r.disk.rec.Boot != r.node.boot {
		m.failf("node %d sends %v in life %d, its disk says %d", id, msg, r.node.boot, r.disk.rec.Boot)
	}
	onDisk := func(b Ballot) {
		if r.disk.rec.Promise.Less(b) {
			m.failf("node %d sends %v with a promise of %v on disk", id, msg, r.disk.rec.Promise)
		}
	}
	switch msg := msg.(type) {
	case Promise:
		onDisk(msg.Ballot)
		if r.told.Less(msg.Ballot) {
			r.told = msg.Ballot
		}
		m.known(id, msg.FirstOpen)
	case Accept:
		onDisk(msg.Ballot)
	case Accepted:
		if m.voters[voteKey{msg.Slot, msg.Ballot}]&(1<<id) == 0 {
			m.failf("node %d sends %v without a vote on disk", id, msg)
		}
	case Chosen:
		for s := msg.Slots.From; s < msg.Slots.To; s++ {
			m.isChosen(id, s, m.votes[voteKey{s, msg.Ballot}])
		}
	case FetchReply:
		for i, v := range msg.Values {
			m.isChosen(id, msg.From+Slot(i), v)
		}
		m.known(id, msg.FirstOpen)
	case Heartbeat:
		onDisk(msg.Ballot)
		m.known(id, msg.FirstOpen)
	case HeartbeatReply:
		m.known(id, msg.FirstOpen)
	}
}

// checkLeases checks at this instant of true time, each node by its own clock: no two have
// read authority, and a leader counts only grants that members honour.
func (m *model) checkLeases() {
	holder := NodeID(0)
	for i, r := range m.nodes {
		if id := NodeID(i + 1); r.node != nil && r.now.Before(r.node.Lease()) {
			m.seen["leases held"]++
			if holder != 0 {
				m.failf("nodes %d and %d have read authority at once", holder, id)
			}
			holder = id
			m.checkCurrent(id)
			for j := range m.nodes {
				m.checkCount(id, NodeID(j+1))
			}
		}
	}
}

// checkCurrent fails if a value was chosen that a node with read authority has
// not proposed itself, but for those of before its tenure (P4.01).
func (m *model) checkCurrent(id NodeID) {
	n := m.member(id).node
	for s := max(n.learner.firstOpen, n.lead.firstOwn); len(m.chosen) >= int(s); s++ {
		v, chosen := m.chosen[s]
		if p := n.lead.proposals.get(s); chosen && !n.learner.isChosen(s) && (p == nil || p.value != v.Value) {
			m.failf("node %d has read authority, and %v was chosen in slot %d, which it has not proposed there", id, v, s)
		}
	}
}

// checkCount fails if a leader counts the grant of a member that does not honour
// it. A member that is down promises nothing to other nodes.
func (m *model) checkCount(leader, member NodeID) {
	l, r := m.member(leader), m.member(member)
	if r.node == nil || !l.now.Before(l.node.CountedUntil(member)) {
		return
	}
	to, until, silent := r.node.GrantState()
	if !r.now.Before(silent) && (to != leader || !r.now.Before(until)) {
		m.failf("node %d counts the grant of node %d for %v more, which honours %d until %v from now",
			leader, member, l.node.CountedUntil(member).Sub(l.now), to, until.Sub(r.now))
	}
}

// known fails unless all slots below are chosen.
func (m *model) known(id NodeID, firstOpen Slot) {
	if firstOpen > m.prefix {
		m.failf("node %d takes all slots below %d for chosen; slot %d is not", id, firstOpen, m.prefix)
	}
}

func addCounters(sum *Counters, c Counters) {
	sum.Campaigns += c.Campaigns
	sum.Tenures += c.Tenures
	sum.QuorumLost += c.QuorumLost
	sum.NoopFilled += c.NoopFilled
	sum.UnreadableVotes += c.UnreadableVotes
	sum.WindowFull += c.WindowFull
	sum.Retransmitted += c.Retransmitted
	sum.Fetches += c.Fetches
	sum.SourceSwitched += c.SourceSwitched
	sum.Stale += c.Stale
	sum.StaleBoots += c.StaleBoots
	sum.Installed += c.Installed
	sum.InstalledOverVote += c.InstalledOverVote
	sum.InstalledBelowVote += c.InstalledBelowVote
	sum.LeaseRejections += c.LeaseRejections
	sum.Waited += c.Waited
	sum.StaleGrants += c.StaleGrants
	sum.Boosts += c.Boosts
	sum.Boosted += c.Boosted
	sum.HandedOver += c.HandedOver
}
