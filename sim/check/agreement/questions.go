package agreement

import (
	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/driver"
)

// questions are what one life of a replica last asked others for: records, and a piece of a
// snapshot. A replica that lacks something must go on to another peer when one does not help.
// A peer that is silent, or has nothing, must not keep it from what all others know (P2.10,
// P7.06).
type questions struct {
	records, piece question
}

// question is what was asked, of which peer, and how often in a row.
type question struct {
	to    paxos.NodeID
	what  wanted
	times int
}

// wanted is the first missing slot, or a place in a snapshot.
type wanted struct {
	slot paxos.Slot
	sum  uint64
	at   int64
}

// patience is how often in a row a replica may ask the same of the same peer without result.
const patience = 2

// count counts a question; it returns false if this peer has been asked too often.
func (q *question) count(to paxos.NodeID, what wanted) bool {
	if to != q.to || what != q.what {
		*q = question{to: to, what: what}
	}
	q.times++
	return q.times <= patience
}

// onFetch takes in a request for records before it leaves. If the previous one had a result,
// this one asks for something else.
func (h *Claims) onFetch(id, to paxos.NodeID, m paxos.Fetch) {
	if !h.Disks[id].questions.records.count(to, wanted{slot: m.Slots.From}) {
		h.breakRepeated(id, to, m)
	}
}

// onAsk does the same for a piece of a snapshot; OnPiecePut tells that one had a result.
func (h *Claims) onAsk(id, to paxos.NodeID, m driver.Ask) {
	if !h.Disks[id].questions.piece.count(to, wanted{slot: m.Slot, sum: m.ID.Sum, at: m.Offset}) {
		h.breakRepeated(id, to, m)
	}
}

func (h *Claims) breakRepeated(id, to paxos.NodeID, m any) {
	if len(h.Disks) > 3 { // with fewer replicas there may be no other to ask
		h.world.Break("L1", "replica %d asks %d for the same more than %d times in a row, and no other: %v", id, to, patience, m)
	}
}
