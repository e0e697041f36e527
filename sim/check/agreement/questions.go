package agreement

import (
	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/driver"
)

// questions are what one life of a replica last asked others for, of records and of a
// snapshot. A replica that lacks something goes on to another peer when one does not help:
// one that is silent, or has nothing, must not keep it from what all the others know
// (P2.10, P7.06).
type questions struct {
	records, piece question
}

// question is what was asked, of whom, and how often in a row.
type question struct {
	to    paxos.NodeID
	what  wanted
	times int
}

// wanted is the first slot that is lacking, or a place in a snapshot.
type wanted struct {
	slot paxos.Slot
	sum  uint64
	at   int64
}

// patience is how often in a row the same may be asked of the same peer, and nothing
// come of it.
const patience = 2

// asks counts a question; false: this peer has been asked too often.
func (q *question) asks(to paxos.NodeID, what wanted) bool {
	if to != q.to || what != q.what {
		*q = question{to: to, what: what}
	}
	q.times++
	return q.times <= patience
}

// asksRecords is told of a question before it leaves. If something has come of the
// last one this is another one.
func (h *Claims) asksRecords(id, to paxos.NodeID, m paxos.Fetch) {
	if !h.Disks[id].questions.records.asks(to, wanted{slot: m.Slots.From}) {
		h.insists(id, to, m)
	}
}

// asksPiece is the same for a piece of a snapshot; puts tells what has come of it.
func (h *Claims) asksPiece(id, to paxos.NodeID, m driver.Ask) {
	if !h.Disks[id].questions.piece.asks(to, wanted{slot: m.Slot, sum: m.ID.Sum, at: m.Offset}) {
		h.insists(id, to, m)
	}
}

func (h *Claims) insists(id, to paxos.NodeID, m any) {
	if len(h.Disks) > 3 { // two of them have no other to ask
		h.world.Break("L1", "replica %d asks %d for the same more than %d times in a row, and no other: %v", id, to, patience, m)
	}
}
