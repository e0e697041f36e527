package agreement

import (
	"fmt"

	"github.com/chubbycell/chubby/linearizability"
	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/core"
	"github.com/chubbycell/chubby/replica/driver"
	"github.com/chubbycell/chubby/replica/state/command"
	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/model"
)

// Checker sees everything: what every disk holds, what every replica applies. It
// checks the properties that no client could: agreement over durable votes,
// promises and epochs that never fall, durability, at-most-once, equal
// checksums. It is told of facts at the instant they become true, which may be
// before the process itself hears of them.
//
// What it is made of shares one truth, and is told of what is its own; OnApplied alone
// concerns several.
type Checker struct {
	*truth
	Logs      *Logs
	Rot       *Rot
	Snapshots *Snapshots
	Rows      *Rows
	Epochs    *Epochs
	Calls     *Calls
	Claims    *Claims

	Counts tally              // of the lives that are over
	Audits core.AuditCounters // of the lives that are over
}

// Around is what stands around the checker: what it tells others, and asks of them.
type Around interface {
	// Executed is told of each command as it is first applied anywhere, in the order of
	// the log.
	Executed(*command.Applied, linearizability.Position)
	// Bid is told of each Prepare that a replica sends.
	Bid(paxos.NodeID, paxos.Ballot)
	// HasAuthority says whether a replica had read authority when it last read its clock.
	HasAuthority(paxos.NodeID) bool
	// HoldsLock says whether the lock that a call has acquired is held by it, by the log.
	HoldsLock(model.Call) bool
}

// New makes a Checker for a cell of so many replicas, each of which must keep so many slots
// that its log may drop, with what stands around it.
func New(w *sim.World, replicas int, keep paxos.Slot, around Around) *Checker {
	t, e := newTruth(w, replicas), newEpochs(w, replicas)
	h := &Checker{truth: t, Rot: &Rot{truth: t}, Snapshots: &Snapshots{truth: t, Keep: keep}, Epochs: e, Calls: newCalls(t, e, around)}
	h.Rows = &Rows{truth: t, relayed: map[driver.Relay]bool{}}
	h.Logs = &Logs{truth: t, rot: h.Rot, snapshots: h.Snapshots}
	h.Claims = &Claims{truth: t, rows: h.Rows, snapshots: h.Snapshots, around: around}
	return h
}

// OnApplied checks each slot a replica applies: it must be chosen on a quorum of
// disks (S3), with this value (S1), and leave the rows as everywhere (S6); its
// commands must take effect once (S5).
func (h *Checker) OnApplied(id paxos.NodeID, slots []core.Applied) {
	h.Disks[id].fresh = h.Disks[id].Applied + 1
	for i := range slots {
		a := &slots[i]
		f := h.Slot(a.Slot)
		if a.Slot != h.Disks[id].Applied+1 {
			h.world.Break("S2", "replica %d applies slot %d after slot %d", id, a.Slot, h.Disks[id].Applied)
		}
		h.Disks[id].Applied = a.Slot
		h.Rot.restored(id, a.Slot)
		if !f.chosen {
			h.world.Break("S3", "replica %d applies %v in slot %d, which no quorum of disks holds", id, a.Value, a.Slot)
			return
		}
		if f.value != a.Value {
			h.world.Break("S1", "replica %d applies %v in slot %d, where %v was chosen", id, a.Value, a.Slot, f.value)
		}
		h.Rows.summed(id, a)
		if f.applied {
			continue
		}
		if a.Slot != h.Top+1 {
			h.world.Break("S6", "replica %d applies slot %d, and no replica has applied more than the slots up to %d before", id, a.Slot, h.Top)
		}
		f.applied = true
		h.Top = a.Slot
		h.Calls.repeats(a.Slot, a.Value)
		h.Calls.commands(a)
	}
}

// String is one line for reports.
func (h *Checker) String() string {
	return fmt.Sprintf("%d slots applied, %d fail-overs, %d calls", h.Top, h.Epochs.Failovers, len(h.Calls.Effects))
}
