package paxos

import (
	"fmt"
	"slices"
	"time"

	"github.com/chubbycell/chubby/internal/invariant"
)

// Handle names the state in a snapshot: after Slot was applied, and before any later slot was. The
// state machine stores it with the snapshot and returns it (P7.02): without the members at Slot a
// snapshot is useless.
type Handle struct {
	Slot    Slot     // 0: there is no snapshot
	Ballot  Ballot   // of the tenure in which the state is; this package does not use it
	Members []NodeID // as of Slot, ascending
	Epoch   uint64   // the state machine's own
}

// Equal reports whether two handles are the same in all fields.
func (h Handle) Equal(o Handle) bool {
	return h.Slot == o.Slot && h.Ballot == o.Ballot && h.Epoch == o.Epoch && slices.Equal(h.Members, o.Members)
}

// String returns the handle in one line.
func (h Handle) String() string {
	return fmt.Sprintf("slot %d ballot %v epoch %d members %v", h.Slot, h.Ballot, h.Epoch, h.Members)
}

// Behind says that catch-up by records failed at a source: Source has dropped the slots below
// Floor, and this node lacks some of them. A snapshot of Source, of slot Floor-1 or above, would
// help. So may the records of another peer, which the node continues to request (P7.06).
type Behind struct {
	Source NodeID
	Floor  Slot
}

// String returns, for instance, "2 has dropped the slots below 9".
func (b Behind) String() string {
	return fmt.Sprintf("%d has dropped the slots below %d", b.Source, b.Floor)
}

// Truncate makes the node drop the votes and values of the slots below. The caller guarantees that
// a durable snapshot of this node covers them all (P7.03) and that the state machine has applied
// them (I-L4). Replies about these slots then say that they were dropped; an absent vote never
// becomes "nothing" by this. Truncate may be called at any time, also with a slot that is not above
// the last one.
func (n *Node) Truncate(now time.Time, below Slot) {
	n.setNow(now)
	if below > n.learner.applied+1 {
		invariant.Failf("I-L4", "node %d: would drop the slots below %d and has applied only those up to %d", n.cfg.ID, below, n.learner.applied)
	}
	n.forget(below)
	n.handleLocal()
}

// forget drops the votes and values below a slot. It leaves those above: an acceptor that
// installs a snapshot must still report its votes there.
func (n *Node) forget(below Slot) {
	n.acceptor.votes.drop(below)
	n.learner.known.drop(below)
}

// Installed tells the node that a durable snapshot of a peer has replaced the state of the state
// machine. The node hands out the slots from h.Slot+1 on, and drops earlier ones that TakeOutput
// has not returned yet. If it has already handed out the slots up to h.Slot, it does nothing and
// returns false: the caller must then keep the present state.
//
// A leader steps down: a node that is ahead of it leads at a higher ballot.
func (n *Node) Installed(now time.Time, h Handle) bool {
	n.setNow(now)
	l := &n.learner
	if h.Slot < l.firstOpen {
		return false
	}
	n.countInstall(h.Slot)
	n.forget(h.Slot + 1)
	l.toApply, l.applied, l.firstOpen = nil, h.Slot, h.Slot+1
	l.handOut()
	n.catchup.target = max(n.catchup.target, l.firstOpen)
	n.behind = nil
	if n.lead != nil {
		n.stepDown()
		n.election.postpone(now)
	}
	n.handleLocal()
	return true
}

func (n *Node) countInstall(s Slot) {
	n.count.Installed++
	votes := &n.acceptor.votes
	over := false
	for i := n.learner.firstOpen; i <= s && i < votes.end(); i++ {
		v := votes.get(i)
		over = over || v != nil && !v.ballot.IsZero()
	}
	if over {
		n.count.InstalledOverVote++
	}
	if votes.end() > s+1 {
		n.count.InstalledBelowVote++
	}
}

// noteFloor records that a source has dropped the slot that this node needs next.
func (n *Node) noteFloor(source NodeID, floor Slot) {
	if floor > n.learner.firstOpen {
		n.behind = &Behind{Source: source, Floor: floor}
	}
}

// base returns the lowest slot of which a disk may still have records.
func (r *Recovered) base() Slot {
	floor, open := max(r.Floor, 1), r.Snapshot.Slot+1
	if floor > open {
		invariant.Failf("I-L4", "the disk has lost the slots below %d and a snapshot of slot %d only", floor, r.Snapshot.Slot)
	}
	return floor
}

// keepReachable completes the restoration of a node whose state machine is at a snapshot. Of the
// slots below, it keeps the values that reach up to the snapshot without a gap, for members that
// lag behind.
func (n *Node) keepReachable() {
	below := n.learner.applied + 1
	for k := n.learner.known.get(below - 1); k != nil && k.chosen; k = n.learner.known.get(below - 1) {
		below--
	}
	n.forget(below)
}

// HighestSlot returns the highest slot that a record is about; 0: it is about none. Once all slots
// up to it were truncated, the record is useless.
func HighestSlot(r Record) Slot {
	switch r := r.(type) {
	case Voted:
		return r.Slot
	case Unreadable:
		return r.Slot
	case Learned:
		return r.Slot
	case Unlearned:
		return r.Slot
	case Settled:
		return r.Slots.To - 1
	}
	return 0
}
