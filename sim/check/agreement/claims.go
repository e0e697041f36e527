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

// OnMessage is told of each message before it leaves for a peer.
//
// Every message between replicas claims something (message.go says what), and
// the watch knows what is true. claims compares the two at the instant a message
// leaves for a peer (invariant I-W1): a false claim may do harm only in rare
// company, but it is wrong at once.
//
// asks says that it matters which peer that is: the
// same words to another one are to be looked at, too. m is the message if it is one of
// the log's, else nil.
func (h *Claims) OnMessage(id, to paxos.NodeID, wire string) (m paxos.Message, asks bool) {
	if r, ok := driver.DecodeSumReport(wire); ok {
		h.rows.claimsSum(id, r)
		h.rows.summedUp(id, r)
		return nil, false
	}
	if driver.IsTransfer(wire) {
		h.claimsSnapshot(id, to, wire)
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
		h.claimsPromised(id, m.Ballot, m)
		h.claimsVotes(id, m)
		h.claimsChosenBelow(id, m.FirstOpen, m)
	case paxos.Accept:
		h.claimsLead(id, m)
	case paxos.Accepted:
		h.claimsVoted(id, m)
	case paxos.Chosen:
		h.claimsChosen(id, m)
	case paxos.Heartbeat:
		h.claimsPromised(id, m.Ballot, m)
		h.claimsChosenBelow(id, m.FirstOpen, m)
	case paxos.HeartbeatReply:
		h.claimsChosenBelow(id, m.FirstOpen, m)
	case paxos.Fetch:
		h.asksRecords(id, to, m)
		return m, true
	case paxos.FetchReply:
		h.claimsValues(id, m)
		h.claimsChosenBelow(id, m.FirstOpen, m)
	}
	return m, false
}

func (h *Claims) lies(id paxos.NodeID, m paxos.Message, format string, args ...any) {
	h.world.Break(h.broken(id, "I-W1"), "replica %d sends "+format+"; the message: %v", append(append([]any{id}, args...), m)...)
}

// claimsPromised: the sender's disk has a promise of b, or a higher one.
func (h *Claims) claimsPromised(id paxos.NodeID, b paxos.Ballot, m paxos.Message) {
	if d := &h.Disks[id]; d.Promise.Less(b) {
		h.lies(id, m, "ballot %v with only %v promised on its disk", b, d.Promise)
	}
}

// claimsVotes: a page has every vote that the sender's disk holds in its range,
// but for those at the ballot it promises, or above, which came later.
func (h *Claims) claimsVotes(id paxos.NodeID, m paxos.Promise) {
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
			h.lies(id, m, "a vote at %v in slot %d that its disk does not hold", told.Ballot, s)
			return
		case voted && (told.Ballot != has.Ballot || !told.Lost && told.Value != has.Value):
			h.lies(id, m, "not the vote for %v at %v in slot %d that its disk holds", has.Value, has.Ballot, s)
			return
		case voted && told.Lost && !h.Budget.IsHurt(id):
			h.lies(id, m, "an unreadable vote at %v in slot %d, and nothing has damaged its disk", told.Ballot, s)
			return
		}
	}
}

// claimsVoted: the sender's disk has this vote, or had it at an earlier ballot. One
// whose value it has lost counts only once it was cast again: of a quorum of such
// votes no replica could say what was chosen.
func (h *Claims) claimsVoted(id paxos.NodeID, m paxos.Accepted) {
	if b, lost := h.Disks[id].lost[m.Slot]; lost && b == m.Ballot {
		h.lies(id, m, "a vote whose value its disk has lost")
		return
	}
	for _, b := range h.Slot(m.Slot).ballots {
		if b.ballot == m.Ballot && b.who&(1<<id) != 0 {
			return
		}
	}
	h.lies(id, m, "a vote that its disk does not hold")
}

// claimsChosen: in each slot a quorum of disks has a vote at this very ballot.
func (h *Claims) claimsChosen(id paxos.NodeID, m paxos.Chosen) {
	for s := m.Slots.From; s < m.Slots.To; s++ {
		votes := 0
		for _, b := range h.Slot(s).ballots {
			if b.ballot == m.Ballot {
				votes = b.count
			}
		}
		if votes < h.Quorum {
			h.lies(id, m, "that slot %d is chosen at %v, where %d disks hold a vote", s, m.Ballot, votes)
			return
		}
	}
}

// claimsChosenBelow: each slot below firstOpen is chosen.
func (h *Claims) claimsChosenBelow(id paxos.NodeID, firstOpen paxos.Slot, m paxos.Message) {
	if open := h.open(); firstOpen > open {
		h.lies(id, m, "that all below %d are chosen, slot %d is not", firstOpen, open)
	}
}

// claimsValues: these values were chosen in these slots.
func (h *Claims) claimsValues(id paxos.NodeID, m paxos.FetchReply) {
	for i, v := range m.Values {
		s := m.From + paxos.Slot(i)
		if f := h.Slot(s); !f.chosen || f.value != v {
			h.lies(id, m, "%v as the value of slot %d, where %v is chosen (%v)", v, s, f.value, f.chosen)
			return
		}
	}
}

// claimsSnapshot: the sender's disk has, or had, a snapshot that reaches as far; its
// rows had this sum.
func (h *Claims) claimsSnapshot(id, to paxos.NodeID, wire string) {
	m, err := driver.DecodeTransfer(wire)
	if err != nil {
		h.world.Break("I-W1", "replica %d sends what cannot be decoded: %v", id, err)
		return
	}
	if r, relays := m.(driver.Relay); relays {
		if h.rows.relays(id, to, r); id != r.From {
			return // its author was asked for proof, in the life in which he said it
		}
		m = r.M
	}
	switch m := m.(type) {
	case driver.Ask:
		h.asksPiece(id, to, m)
	case driver.Piece:
		h.snapshots.givesAway(id, m)
		if m.ID.Handle.Slot > h.Disks[id].snapshot {
			h.world.Break("I-W1", "replica %d sends a %v, the newest on its disk is of slot %d", id, m, h.Disks[id].snapshot)
		}
	case driver.TellSum:
		h.rows.claimsSum(id, core.SumReport(m))
	}
}
