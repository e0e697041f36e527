package agreement

import (
	"errors"

	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/core"
	"github.com/chubbycell/chubby/replica/driver"
)

// Rows compares the rows of replicas, by their checksums (S6).
type Rows struct {
	*truth
	relayed map[driver.Relay]bool // words that their authors have had passed on

	Minority int // replicas that stopped because their rows were odd
	Rotted   int // of them, those whose rows did not have their own checksum
}

// summed compares the rows of a replica behind a slot with those of all others
// (S6), unless they were made to differ.
func (h *Rows) summed(id paxos.NodeID, a *core.Applied) {
	f := h.Slot(a.Slot)
	switch {
	case h.Disks[id].Stray:
	case !f.Summed:
		f.Summed, f.Sum = true, a.Sum
	case f.Sum != a.Sum:
		h.world.Break("S6", "after slot %d replica %d has checksum %v, others have %v", a.Slot, id, a.Sum, f.Sum)
	}
}

// claimsSum: these are the sender's rows behind the slot, and so everybody's.
func (h *Rows) claimsSum(id paxos.NodeID, r core.SumReport) {
	f := h.Slot(r.Slot)
	if !h.Disks[id].Stray && (!f.Summed || f.Sum != r.Sum) {
		h.world.Break("S6", "replica %d says that its rows have checksum %v after slot %d, and it is %v", id, r.Sum, r.Slot, f.Sum)
	}
}

// relays: a replica that passes a word on has it from its author, and sends it to the one
// that the author named.
func (h *Rows) relays(id, to paxos.NodeID, r driver.Relay) {
	if id == r.From {
		h.relayed[r] = true
		return
	}
	if !h.relayed[r] || to != r.To {
		h.world.Break("I-W1", "replica %d tells replica %d, as if it passed it on: %v", id, to, r)
	}
}

// OnRowStray is told that a row was written in the memory of one replica alone.
func (h *Rows) OnRowStray(id paxos.NodeID) { h.Disks[id].Stray = true }

// OnRowRot is told that a row was changed there behind the back of the checksum.
func (h *Rows) OnRowRot(id paxos.NodeID) {
	h.OnRowStray(id)
	h.Disks[id].rot = h.Disks[id].Applied + 1
}

// summedUp is told that a replica tells the checksum that it has computed from its
// rows: it must not, if they are not those of which it kept one (S6). It stops.
func (h *Rows) summedUp(id paxos.NodeID, r core.SumReport) {
	if d := &h.Disks[id]; d.rot > 0 && r.Slot >= d.rot {
		h.world.Break("S6", "replica %d tells a checksum after slot %d, its rows have had another one than it keeps since slot %d", id, r.Slot, d.rot)
	}
}

// OnStopped looks at why a replica stops: rows like those of all others are no reason
// (S6).
func (h *Rows) OnStopped(id paxos.NodeID, err error) {
	odd := errors.Is(err, core.ErrMinority) || errors.Is(err, core.ErrMemory)
	if odd && !h.Disks[id].Stray {
		h.world.Break("S6", "replica %d has the rows of all others: %v", id, err)
	}
	if odd {
		h.Minority++
	}
	if errors.Is(err, core.ErrMemory) {
		h.Rotted++
	}
}
