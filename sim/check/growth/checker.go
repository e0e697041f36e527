package growth

import (
	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/driver"
	"github.com/chubbycell/chubby/replica/state/rows"
	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/plan"
)

// Checker demands that nothing that replicas hold in memory or on their disks grows without
// bound (L2).
type Checker struct {
	world *sim.World
	plan  *plan.Plan
	cell  Cell
	tops  []paxos.Slot // highest slot applied, at each Look
}

// Cell tells what the bounds depend on.
type Cell interface {
	// Top returns the highest slot that any replica has applied.
	Top() paxos.Slot
	// KeepSlots returns how many slots a replica must keep for laggards.
	KeepSlots(id paxos.NodeID) paxos.Slot
	// Opened returns the number of sessions that clients have opened or resumed.
	Opened() int
}

// Life is one life of a replica.
type Life struct {
	ID      paxos.NodeID
	Host    *driver.Driver
	Damaged bool       // it found unreadable records
	Missed  paxos.Slot // the highest slot that any replica had applied when it began
	Behind  int        // number of slots that it lacked then
	Bad     bool       // it found a snapshot bad then
}

// Size is one thing that a replica holds, how many of it, and the bound.
type Size struct {
	What string
	N    int
	Most int
}

// New returns a checker of a cell.
func New(w *sim.World, p *plan.Plan, c Cell) *Checker { return &Checker{world: w, plan: p, cell: c} }

// Look measures the replicas that run. Call it at equal intervals.
func (c *Checker) Look(all []Life) {
	c.tops = append(c.tops, c.cell.Top())
	for i := range all {
		c.judge(&all[i], c.measure(&all[i]))
	}
}

func (c *Checker) judge(r *Life, m measured) {
	for _, s := range c.bounded(r, m) {
		if s.N > s.Most {
			c.world.Break("L2", "replica %d has %d %s, bound %d", r.ID, s.N, s.What, s.Most)
		}
	}
}

// Sizes returns what a replica holds, with bounds.
func (c *Checker) Sizes(r *Life) []Size { return c.bounded(r, c.measure(r)) }

// bounded pairs what was measured of a replica with bounds.
func (c *Checker) bounded(r *Life, m measured) []Size {
	cfg := &c.plan.Driver.Core
	return []Size{
		{"commands waiting for a slot", m.node.Pending, cfg.Paxos.MaxPending},
		{"requests waiting for an answer", m.master.Pending, cfg.MaxPending + m.ops.Waiting + m.ops.Held + api.MaxWindow},
		{"commands waiting for their turn", m.master.Waiting, cfg.MaxPending + m.sessions*api.MaxWindow + m.ops.Sweeps + m.delays},
		{"slots in flight", m.inFlight, cfg.Paxos.Window},
		{"messages held for the disk", m.node.Held, maxHeld},
		{"votes above the first open slot", ahead(m.node, r.Damaged), cfg.Paxos.Window*maxDrift + late(r, m.node.FirstOpen)},
		{"sessions", m.sessions, rows.MaxSessions},
		{"sessions more than clients opened", m.sessions, 2 * c.cell.Opened()},
		{"open handles", m.ops.Handles, m.sessions * cfg.NodeOps.Handles.PerSession},
		{"Acquires that wait", m.ops.Waiting, m.sessions * api.MaxWindow},
		{"calls on nodes that are proposed", m.ops.UnderWay, cfg.MaxPending + m.ops.Waiting + api.MaxWindow},
		{"stored answers", m.answers, m.sessions * api.MaxWindow},
		{"slots in memory", kept(m.node, r.Damaged), c.slotBound(r.ID) + max(late(r, m.node.Floor), logged(r, m.node.Floor)) + ahead(m.node, r.Damaged)},
		{"chosen values in memory", unlessDamaged(m.node.Values, r.Damaged), c.slotBound(r.ID) + max(late(r, m.node.Floor), logged(r, m.node.Floor)) + ahead(m.node, r.Damaged)},
		{"proposals in memory", m.node.Proposals, cfg.Paxos.Window},
		{"heartbeats remembered", m.node.Asked, 2*int(cfg.Paxos.Lease.Term()/cfg.Paxos.Heartbeat) + maxBeats},
		{"sums of slots in memory", unlessDamaged(m.sums, r.Damaged), c.slotBound(r.ID)},
		{"snapshots on its disk", m.snapshots, maxSnapshots},
		{"bytes of log", m.log, 6*int(c.plan.Store.SegmentSize) + c.slotBound(r.ID)*(512+2*c.plan.Calls.Value)},
		{"records waiting for the log", m.records, maxHeld},
	}
}

// late returns how many slots, from this one on, a life lacked when it began and may have got
// by now. A replica that was down, or that joined late, has these in addition to what it
// usually has.
func late(r *Life, from paxos.Slot) int { return min(r.Behind, max(0, int(r.Missed)-int(from))) }

// logged returns how many slots, from this one on, a life may have had in its log when it began, if it
// found a snapshot bad then: it keeps them until it has two good snapshots again. What comes later has
// the usual bound.
func logged(r *Life, from paxos.Slot) int {
	if !r.Bad {
		return 0
	}
	return max(0, int(r.Missed)-int(from))
}

// ahead returns how far votes reach above the first open slot. The bound does not apply to a
// damaged replica: a slot whose value rotted opens again, however long ago it was chosen.
func ahead(s paxos.Status, damaged bool) int {
	if damaged || s.VotesEnd <= s.FirstOpen {
		return 0
	}
	return int(s.VotesEnd - s.FirstOpen)
}

// kept returns how many slots a node remembers.
func kept(s paxos.Status, damaged bool) int {
	return unlessDamaged(int(s.VotesEnd-s.Floor), damaged)
}

// unlessDamaged returns n, or 0 if damaged: a slot whose value rotted keeps the replica from
// taking snapshots, and what it remembers grows until then.
func unlessDamaged(n int, damaged bool) int {
	if damaged {
		return 0
	}
	return n
}

// slotBound returns how many slots there may be below the first open one: two snapshots'
// worth, what is kept for laggards, and what came while a snapshot took long or failed. A
// replica that lacks a slot takes no snapshot above it; ahead bounds how far its votes reach
// above that.
func (c *Checker) slotBound(id paxos.NodeID) int {
	return 2*int(c.plan.Driver.SnapshotEvery) + int(c.cell.KeepSlots(id)) + max(maxLate, c.pace())
}

// pace returns how many slots were filled in about the last 20 s. With very many waiters this
// exceeds maxLate, and a replica can do nothing about it while its disk stands still.
func (c *Checker) pace() int {
	if len(c.tops) == 0 {
		return 0
	}
	return int(c.cell.Top() - c.tops[max(0, len(c.tops)-5)])
}

const (
	// maxLate is far above the slots that pass while a disk stands still for seconds and can
	// write no snapshot, and below those that a run fills.
	maxLate = 1_000
	// maxSnapshots is the two that are kept, a new one, and some that are bad or reappeared
	// after a crash.
	maxSnapshots = 8
	// maxHeld is far above what waits for a disk that stands still for seconds, and far below
	// what a leak would leave waiting.
	maxHeld = 20_000
	// maxBeats is far above the number of heartbeats that boosts send out of turn.
	maxBeats = 20
	// maxDrift is how many windows of votes a laggard may hold, while it catches up, without
	// knowing them as chosen.
	maxDrift = 1_000
)
