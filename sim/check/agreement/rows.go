package agreement

import (
	"errors"
	"fmt"

	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/core"
	"github.com/chubbycell/chubby/replica/driver"
)

// Rows compares the rows of replicas, by their checksums (S6).
type Rows struct {
	*truth
	around  Around
	relayed map[driver.Relay]bool // reports that their authors asked others to relay

	Minority int // replicas that stopped because a majority had other rows, or for the reason of Rotted
	Rotted   int // of Minority, those whose rows did not match their own checksum
}

// compareSum compares the rows of a replica after a slot with those of all others (S6),
// unless they were made to differ.
func (h *Rows) compareSum(id paxos.NodeID, a *core.Applied) {
	f := h.Slot(a.Slot)
	switch {
	case h.Disks[id].Stray:
	case !f.Summed:
		f.Summed, f.Sum, f.first = true, a.Sum, id
	case f.Sum != a.Sum:
		h.world.Break("S6", "after slot %d replica %d has checksum %v, replica %d, which applied it first, has %v%s", a.Slot, id, a.Sum, f.first, f.Sum,
			h.around.DifferingRows(id, a.Slot))
	}
}

// checkReportedSum: a sum that a replica reports is that of its rows after the slot, and so
// that of all replicas.
func (h *Rows) checkReportedSum(id paxos.NodeID, r core.SumReport) {
	f := h.Slot(r.Slot)
	if !h.Disks[id].Stray && (!f.Summed || f.Sum != r.Sum) {
		h.world.Break("S6", "replica %d says that its rows have checksum %v after slot %d, and it is %v", id, r.Sum, r.Slot, f.Sum)
	}
}

// checkRelay: a replica that relays a report has it from its author, and sends it to the
// replica that the author named.
func (h *Rows) checkRelay(id, to paxos.NodeID, r driver.Relay) {
	if id == r.From {
		h.relayed[r] = true
		return
	}
	if !h.relayed[r] || to != r.To {
		h.world.Break("I-W1", "replica %d tells replica %d, as if it passed it on: %v", id, to, r)
	}
}

// OnRowStray reports that a fault has written a row in the memory of one replica.
func (h *Rows) OnRowStray(id paxos.NodeID) { h.Disks[id].Stray = true }

// OnRowRot reports that a fault has changed a row there, without a change of the checksum
// that the replica keeps.
func (h *Rows) OnRowRot(id paxos.NodeID) {
	h.OnRowStray(id)
	h.Disks[id].rot = h.Disks[id].Applied + 1
}

// checkKeptSum takes in that a replica reports the checksum that it has computed from its
// rows. If that differs from the checksum that it keeps, the replica must stop and report
// none (S6).
func (h *Rows) checkKeptSum(id paxos.NodeID, r core.SumReport) {
	if d := &h.Disks[id]; d.rot > 0 && r.Slot >= d.rot {
		h.world.Break("S6", "replica %d tells a checksum after slot %d, its rows have had another one than it keeps since slot %d", id, r.Slot, d.rot)
	}
}

// OnStopped checks why a replica stops: rows like those of all others are no reason (S6).
func (h *Rows) OnStopped(id paxos.NodeID, err error) {
	odd := errors.Is(err, core.ErrMinority) || errors.Is(err, core.ErrMemory)
	if odd && !h.Disks[id].Stray {
		h.world.Break("S6", "replica %d has the rows of all others: %v%s", id, err, h.whenApplied(id))
	}
	if odd {
		h.Minority++
	}
	if errors.Is(err, core.ErrMemory) {
		h.Rotted++
	}
}

// whenApplied tells the checksum that the rows of a replica had when it applied its last slot: if it stops with another
// one, it has counted other rows than those.
func (h *Rows) whenApplied(id paxos.NodeID) string {
	at := h.Disks[id].Applied
	if f := h.Slot(at); f.Summed {
		return fmt.Sprintf("; when it applied slot %d, its checksum was %v, as that of the others", at, f.Sum)
	}
	return ""
}
