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

// Checker sees what every disk holds and what every replica applies. It checks the properties
// that no client can check: agreement over durable votes, promises and epochs that never go
// down, durability, at-most-once execution, equal checksums. It is told facts at the instant
// at which they become true, which may be before the process itself learns of them.
//
// Its parts share one truth, and each is told the facts that concern it. OnApplied concerns
// several parts.
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

// Around is the checker's environment: what it passes on, and what it asks.
type Around interface {
	// Executed is called for each command when it is first applied anywhere, in log order.
	Executed(*command.Applied, linearizability.Position)
	// Bid is called for each Prepare that a replica sends.
	Bid(paxos.NodeID, paxos.Ballot)
	// HasAuthority reports whether a replica had read authority when it last read its clock.
	HasAuthority(paxos.NodeID) bool
	// HoldsLock reports whether, by the log, a call still holds the lock that it acquired.
	HoldsLock(model.Call) bool
	// DifferingRows says which rows of a replica, which has applied that slot, another replica does not have. A report
	// ends with it; it may be empty.
	DifferingRows(paxos.NodeID, paxos.Slot) string
}

// New makes a Checker for a cell of that many replicas. keep is how many slots, of those that
// its log may drop, each replica must keep.
func New(w *sim.World, replicas int, keep paxos.Slot, around Around) *Checker {
	t, e := newTruth(w, replicas), newEpochs(w, replicas)
	h := &Checker{truth: t, Rot: &Rot{truth: t}, Snapshots: &Snapshots{truth: t, Keep: keep}, Epochs: e, Calls: newCalls(t, e, around)}
	h.Rows = &Rows{truth: t, around: around, relayed: map[driver.Relay]bool{}}
	h.Logs = &Logs{truth: t, rot: h.Rot, snapshots: h.Snapshots}
	h.Claims = &Claims{truth: t, rows: h.Rows, snapshots: h.Snapshots, around: around}
	return h
}

// OnApplied checks each slot that a replica applies. It must be chosen on a quorum of disks
// (S3), with this value (S1). It must leave the rows as at every other replica (S6), and its
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
		h.Rot.noteRestored(id, a.Slot)
		if !f.chosen {
			h.world.Break("S3", "replica %d applies %v in slot %d, which no quorum of disks holds", id, a.Value, a.Slot)
			return
		}
		if f.value != a.Value {
			h.world.Break("S1", "replica %d applies %v in slot %d, where %v was chosen", id, a.Value, a.Slot, f.value)
		}
		h.Rows.compareSum(id, a)
		if f.applied {
			continue
		}
		if a.Slot != h.Top+1 {
			h.world.Break("S6", "replica %d applies slot %d, and no replica has applied more than the slots up to %d before", id, a.Slot, h.Top)
		}
		f.applied = true
		h.Top = a.Slot
		h.Calls.checkRepeats(a.Slot, a.Value)
		h.Calls.onCommands(a)
	}
}

// String summarizes the run in one line, for reports.
func (h *Checker) String() string {
	return fmt.Sprintf("%d slots applied, %d fail-overs, %d calls", h.Top, h.Epochs.Failovers, len(h.Calls.Effects))
}
