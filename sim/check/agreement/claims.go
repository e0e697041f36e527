package agreement

import (
	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/core"
	"github.com/chubbycell/chubby/replica/driver"
)

// Claims compares messages with what is true.
type Claims struct {
	*truth
	rows      *Rows
	snapshots *Snapshots
	around    Around
}

// OnMessage reports a message before it leaves for a peer.
//
// Every message between replicas claims something (paxos/message.go says what), and Claims
// compares that with the truth at the instant at which the message leaves (invariant I-W1). A
// false claim may do harm only in rare circumstances, but it is wrong at once.
//
// m is the message if it is one of package paxos, else nil. asks says that it matters which
// peer gets the message, so the same message to another peer must be reported, too.
func (h *Claims) OnMessage(id, to paxos.NodeID, wire string) (m paxos.Message, asks bool) {
	if r, ok := driver.DecodeSumReport(wire); ok {
		h.rows.checkReportedSum(id, r)
		h.rows.checkKeptSum(id, r)
		return nil, false
	}
	if driver.IsTransfer(wire) {
		h.checkSnapshot(id, to, wire)
		return nil, true
	}
	m, err := paxos.DecodeMessage(wire)
	if err != nil {
		h.world.Break("I-W1", "replica %d sends what cannot be decoded: %v", id, err)
		return nil, false
	}
	switch m := m.(type) {
	case paxos.Prepare:
		h.around.Bid(id, m.Ballot)
	case paxos.Promise:
		h.checkPromised(id, m.Ballot, m)
		h.checkVotes(id, m)
		h.checkChosenBelow(id, m.FirstOpen, m)
	case paxos.Accept:
		h.checkLead(id, m)
	case paxos.Accepted:
		h.checkVoted(id, m)
	case paxos.Chosen:
		h.checkChosen(id, m)
	case paxos.Heartbeat:
		h.checkPromised(id, m.Ballot, m)
		h.checkChosenBelow(id, m.FirstOpen, m)
	case paxos.HeartbeatReply:
		h.checkChosenBelow(id, m.FirstOpen, m)
	case paxos.Fetch:
		h.onFetch(id, to, m)
		return m, true
	case paxos.FetchReply:
		h.checkValues(id, m)
		h.checkChosenBelow(id, m.FirstOpen, m)
	}
	return m, false
}

func (h *Claims) breakClaim(id paxos.NodeID, m paxos.Message, format string, args ...any) {
	h.world.Break(h.broken(id, "I-W1"), "replica %d sends "+format+"; the message: %v", append(append([]any{id}, args...), m)...)
}

// checkPromised: the sender's disk has a promise of b, or of a higher ballot.
func (h *Claims) checkPromised(id paxos.NodeID, b paxos.Ballot, m paxos.Message) {
	if d := &h.Disks[id]; d.Promise.Less(b) {
		h.breakClaim(id, m, "ballot %v with only %v promised on its disk", b, d.Promise)
	}
}

// checkVotes: a page has every vote that the sender's disk holds in its range, except votes
// at the ballot that it promises, or above: these came later.
func (h *Claims) checkVotes(id paxos.NodeID, m paxos.Promise) {
	d, next := &h.Disks[id], 0
	for s := m.Page.From; s < min(m.Page.To, paxos.Slot(len(h.Slots))); s++ {
		var told paxos.Vote
		if next < len(m.Votes) && m.Votes[next].Slot == s {
			told = m.Votes[next]
			next++
		}
		has, voted := d.votes.at(s)
		switch {
		case voted && !has.Ballot.Less(m.Ballot):
		case !voted && !told.Ballot.IsZero(), voted && has.Ballot.Less(told.Ballot):
			h.breakClaim(id, m, "a vote at %v in slot %d that its disk does not hold", told.Ballot, s)
			return
		case voted && (told.Ballot != has.Ballot || !told.Lost && told.Value != has.Value):
			h.breakClaim(id, m, "a page over slot %d without the vote for %v at %v that its disk holds: the page has %d votes, the disk %d in the same slots",
				s, has.Value, has.Ballot, len(m.Votes), h.votesIn(id, m))
			return
		case voted && told.Lost && !h.Budget.IsHurt(id):
			h.breakClaim(id, m, "an unreadable vote at %v in slot %d, and nothing has damaged its disk", told.Ballot, s)
			return
		}
	}
}

// votesIn counts the votes that the sender's disk holds in the slots of a page, below its ballot.
func (h *Claims) votesIn(id paxos.NodeID, m paxos.Promise) (n int) {
	for s := m.Page.From; s < min(m.Page.To, paxos.Slot(len(h.Slots))); s++ {
		if has, voted := h.Disks[id].votes.at(s); voted && has.Ballot.Less(m.Ballot) {
			n++
		}
	}
	return n
}

// checkVoted: the sender's disk has this vote, or had it and voted again since. A vote whose
// value the disk has lost counts only once it was cast again: with a quorum of such votes no
// replica could tell what was chosen.
func (h *Claims) checkVoted(id paxos.NodeID, m paxos.Accepted) {
	if b, lost := h.Disks[id].lost[m.Slot]; lost && b == m.Ballot {
		h.breakClaim(id, m, "a vote whose value its disk has lost")
		return
	}
	for _, b := range h.Slot(m.Slot).ballots {
		if b.ballot == m.Ballot && b.who&(1<<id) != 0 {
			return
		}
	}
	h.breakClaim(id, m, "a vote that its disk does not hold")
}

// checkChosen: in each slot a quorum of disks has a vote at this very ballot.
func (h *Claims) checkChosen(id paxos.NodeID, m paxos.Chosen) {
	for s := m.Slots.From; s < m.Slots.To; s++ {
		votes := 0
		for _, b := range h.Slot(s).ballots {
			if b.ballot == m.Ballot {
				votes = b.count
			}
		}
		if votes < h.Quorum {
			h.breakClaim(id, m, "that slot %d is chosen at %v, where %d disks hold a vote", s, m.Ballot, votes)
			return
		}
	}
}

// checkChosenBelow: each slot below firstOpen is chosen.
func (h *Claims) checkChosenBelow(id paxos.NodeID, firstOpen paxos.Slot, m paxos.Message) {
	if open := h.open(); firstOpen > open {
		h.breakClaim(id, m, "that all below %d are chosen, slot %d is not", firstOpen, open)
	}
}

// checkValues: these values were chosen in these slots.
func (h *Claims) checkValues(id paxos.NodeID, m paxos.FetchReply) {
	for i, v := range m.Values {
		s := m.From + paxos.Slot(i)
		if f := h.Slot(s); !f.chosen || f.value != v {
			h.breakClaim(id, m, "%v as the value of slot %d, where %v is chosen (%v)", v, s, f.value, f.chosen)
			return
		}
	}
}

// checkSnapshot: the sender's disk has, or had, a snapshot that reaches as far, and its rows
// had this sum.
func (h *Claims) checkSnapshot(id, to paxos.NodeID, wire string) {
	m, err := driver.DecodeTransfer(wire)
	if err != nil {
		h.world.Break("I-W1", "replica %d sends what cannot be decoded: %v", id, err)
		return
	}
	if r, relays := m.(driver.Relay); relays {
		if h.rows.checkRelay(id, to, r); id != r.From {
			return // its author was checked when it sent it
		}
		m = r.M
	}
	switch m := m.(type) {
	case driver.Ask:
		h.onAsk(id, to, m)
	case driver.Piece:
		h.snapshots.checkPiece(id, m)
		if m.ID.Handle.Slot > h.Disks[id].snapshot {
			h.world.Break("I-W1", "replica %d sends a %v, the newest on its disk is of slot %d", id, m, h.Disks[id].snapshot)
		}
	case driver.TellSum:
		h.rows.checkReportedSum(id, core.SumReport(m))
	}
}
