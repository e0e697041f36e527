package agreement

import (
	"slices"

	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/core"
	"github.com/chubbycell/chubby/replica/driver"
	"github.com/chubbycell/chubby/sim/model"
)

// Every message between replicas claims something (message.go says what), and
// the watch knows what is true. claims compares the two at the instant a message
// leaves for a peer (invariant I-W1): a false claim may do harm only in rare
// company, but it is wrong at once. asks says that it matters which peer that is: the
// same words to another one are to be looked at, too. m is the message if it is one of
// the log's, else nil.
func (h *Checker) OnMessage(id, to paxos.NodeID, wire string) (m paxos.Message, asks bool) {
	if r, ok := driver.DecodeSumReport(wire); ok {
		h.ClaimsSum(id, r)
		h.summedUp(id, r)
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

func (h *Checker) lies(id paxos.NodeID, m paxos.Message, format string, args ...any) {
	h.world.Break(h.broken(id, "I-W1"), "replica %d sends "+format+"; the message: %v", append(append([]any{id}, args...), m)...)
}

// OnReply compares what a client is told with what took effect (I-W1): a
// definite answer is the one of the place in the log where the call was
// executed, or one of the reads that were answered in the same breath without the
// log; and no reply names an epoch that has not begun. err says that it is none.
func (h *Checker) OnReply(id paxos.NodeID, p api.Reply, err error, reads []core.Read) {
	if err != nil {
		h.world.Break("I-W1", "replica %d sends a reply that cannot be decoded: %v", id, err)
		return
	}
	if p.Epoch > h.Epoch {
		h.world.Break("I-W1", "replica %d replies in epoch %d, the highest that began is %d", id, p.Epoch, h.Epoch)
	}
	if p.Session == 0 || p.Seq == 0 || p.Code.Execution() != api.Executed {
		return // the opening of a session, a KeepAlive, or no answer
	}
	name := model.Call{Session: p.Session, Seq: p.Seq}
	h.Final.Answered(name)
	e, ok := h.Calls[name]
	of, tree := h.Asked[name]
	read := slices.ContainsFunc(reads, func(r core.Read) bool {
		return r.Session == p.Session && r.Seq == p.Seq && model.Digest(r.Result) == model.Digest(p.Result)
	})
	this := answerTo{name, model.Digest(p.Result)}
	then, again := h.given[this]
	// To refuse by memory, however much authority there is, what these rows have an
	// answer for would be to say that nothing was done; unless it was refused before,
	// and then cancelled in the log.
	kept := ok && tree && !again && of < aboutHandle && paxos.Slot(e.At.Slot) <= h.Disks[id].Applied
	if read && !kept {
		if tree {
			h.given[this] = p.Epoch
		}
		return
	}
	if !ok && tree && (of >= aboutHandle || again || h.around.HasAuthority(id)) {
		h.given[this] = p.Epoch // and may be again, by any later master
		return
	}
	h.Told = max(h.Told, paxos.Slot(e.At.Slot))
	if !ok {
		h.world.Break("I-W1", "replica %d answers call %d of session %d with %v, and it took effect nowhere", id, p.Seq, p.Session, p.Code)
	}
	refused := of >= aboutHandle && p.Code != api.OK // by a later master, for what became of the handle
	// What a later master has refused, one of before may have done to its memory, or do
	// yet, which counts no more.
	refused = refused || of == aboutMemory && p.Epoch < e.epoch
	// What was told by memory in an epoch may be told again there, after a later master
	// has executed a copy: clients do not take it once they know of that one. And an
	// Acquire whose handle was closed may be cancelled in the log after that.
	refused = refused || tree && again && (p.Epoch < e.epoch || p.Epoch == then && of == aboutLock)
	// Who uses one number for a call on a node and one on a row is told of the former what
	// it was told before, also after the latter was executed.
	refused = refused || tree && again && p.Epoch == then && e.row
	// A lock that was granted in an epoch before, and freed since, is not held.
	holds := h.around.HoldsLock(name)
	refused = refused || of == aboutLock && p.Code == api.NotHeld && p.Epoch > e.epoch && !holds
	// A lock's node may go in a slot before the one in which the call is given up,
	// and both slots be applied at once: then the answer is of the former.
	refused = refused || e.left && paxos.Slot(e.At.Slot) >= h.Disks[id].fresh && h.around.HasAuthority(id)
	if ok && !refused && e.answer != model.Digest(p.Result) {
		h.world.Break("I-W1", "replica %d answers call %d of session %d with %v, which is not what it was at %v", id, p.Seq, p.Session, p.Code, e.At)
	}
}

// claimsPromised: the sender's disk has a promise of b, or a higher one.
func (h *Checker) claimsPromised(id paxos.NodeID, b paxos.Ballot, m paxos.Message) {
	if d := &h.Disks[id]; d.Promise.Less(b) {
		h.lies(id, m, "ballot %v with only %v promised on its disk", b, d.Promise)
	}
}

// claimsVotes: a page has every vote that the sender's disk holds in its range,
// but for those at the ballot it promises, or above, which came later.
func (h *Checker) claimsVotes(id paxos.NodeID, m paxos.Promise) {
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
func (h *Checker) claimsVoted(id paxos.NodeID, m paxos.Accepted) {
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
func (h *Checker) claimsChosen(id paxos.NodeID, m paxos.Chosen) {
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
func (h *Checker) claimsChosenBelow(id paxos.NodeID, firstOpen paxos.Slot, m paxos.Message) {
	for int(h.prefix) < len(h.Slots) && h.Slots[h.prefix].chosen {
		h.prefix++
	}
	if firstOpen > h.prefix {
		h.lies(id, m, "that all below %d are chosen, slot %d is not", firstOpen, h.prefix)
	}
}

// claimsValues: these values were chosen in these slots.
func (h *Checker) claimsValues(id paxos.NodeID, m paxos.FetchReply) {
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
func (h *Checker) claimsSnapshot(id, to paxos.NodeID, wire string) {
	m, err := driver.DecodeTransfer(wire)
	if err != nil {
		h.world.Break("I-W1", "replica %d sends what cannot be decoded: %v", id, err)
		return
	}
	if r, relays := m.(driver.Relay); relays {
		if h.relays(id, to, r); id != r.From {
			return // its author was asked for proof, in the life in which he said it
		}
		m = r.M
	}
	switch m := m.(type) {
	case driver.Ask:
		h.asksPiece(id, to, m)
	case driver.Piece:
		h.givesAway(id, m)
		if m.ID.Handle.Slot > h.Disks[id].snapshot {
			h.world.Break("I-W1", "replica %d sends a %v, the newest on its disk is of slot %d", id, m, h.Disks[id].snapshot)
		}
	case driver.TellSum:
		h.ClaimsSum(id, core.SumReport(m))
	}
}

// OnRequest notes which requests come to a replica, and which calls are about nodes, whose
// answers need not stand in the log: some are about handles alone, which are memory
// of the master, and the others can be answered by who has read authority.
func (h *Checker) OnRequest(to paxos.NodeID, q api.Request) {
	h.came.note(to, q, h.Epoch)
	if q.Seq == 0 {
		return
	}
	h.Final.Asks(q)
	switch q.Op.(type) {
	case api.Acquire:
		h.Asked[model.Call{Session: q.Session, Seq: q.Seq}] = aboutLock
	case api.Poison:
		h.Asked[model.Call{Session: q.Session, Seq: q.Seq}] = aboutMemory
	case api.CloseHandle, api.SetSequencer:
		h.Asked[model.Call{Session: q.Session, Seq: q.Seq}] = aboutHandle
	case api.Open, api.GetContents, api.GetStat, api.ReadDir, api.SetContents, api.SetACL, api.DeleteNode,
		api.GetSequencer, api.CheckSequencer, api.Release:
		h.Asked[model.Call{Session: q.Session, Seq: q.Seq}] = AboutNode
	}
}
