package cell

import (
	"strings"

	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/state/lock"
	"github.com/chubbycell/chubby/replica/state/rows"
)

// sizes is what may not grow without bound in one replica (L2).
type sizes struct {
	what string
	n    int
	most int
}

// bounds checks L2.
func (c *seedRun) bounds() {
	c.tops = append(c.tops, c.watch.Top)
	for _, m := range c.machines.Replicas {
		if r := running(m); r != nil && r.Host.Core() != nil && !c.watch.Disks[r.Id].Stray {
			for _, s := range c.sizes(r) {
				if s.n > s.most {
					c.world.Break("L2", "replica %d has %d %s, bound %d", r.Id, s.n, s.what, s.most)
				}
			}
		}
	}
}

// sizes are what a replica holds, each with its bound.
func (c *seedRun) sizes(r *replica) []sizes {
	cfg := &c.plan.Driver.Core
	status, now := r.Host.Core().Status(), r.Host.Core().Rows()
	totals := rows.GetTotals(now)
	snaps, bytes := c.files(r)
	ops := r.Host.Core().NodeOps()
	answers := 0
	for range now.Scan(string(rune(rows.FamilyAnswer))) {
		answers++
	}
	return []sizes{
		{"commands waiting for a slot", status.Pending, cfg.Paxos.MaxPending},
		{"requests waiting for an answer", r.Host.Core().Master().Pending, cfg.MaxPending + ops.Waiting + ops.Held + api.MaxWindow},
		{"commands waiting for their turn", r.Host.Core().Master().Waiting, cfg.MaxPending + int(totals.Sessions)*api.MaxWindow + ops.Sweeps + len(lock.Delays(now))},
		{"slots in flight", r.Host.Core().InFlight(), cfg.Paxos.Window},
		{"messages held for the disk", status.Held, maxHeld},
		{"votes above the first open slot", ahead(status, r.damaged), cfg.Paxos.Window*maxDrift + late(r, status.FirstOpen)},
		{"sessions", int(totals.Sessions), rows.MaxSessions},
		{"sessions more than clients opened", int(totals.Sessions), 2 * (c.load.Sessions + c.promises.Renewed)},
		{"open handles", ops.Handles, int(totals.Sessions) * cfg.NodeOps.Handles.PerSession},
		{"Acquires that wait", ops.Waiting, int(totals.Sessions) * api.MaxWindow},
		{"calls on nodes that are proposed", ops.UnderWay, cfg.MaxPending + ops.Waiting + api.MaxWindow},
		{"stored answers", answers, int(totals.Sessions) * api.MaxWindow},
		{"slots in memory", kept(status, r.damaged), c.keeps(r.Id) + late(r, status.Floor) + ahead(status, r.damaged)},
		{"chosen values in memory", learned(status, r.damaged), c.keeps(r.Id) + late(r, status.Floor) + ahead(status, r.damaged)},
		{"proposals in memory", status.Proposals, cfg.Paxos.Window},
		{"heartbeats remembered", status.Asked, 2*int(cfg.Paxos.Lease.Term()/cfg.Paxos.Heartbeat) + maxBeats},
		{"sums of slots in memory", summed(r), c.keeps(r.Id)},
		{"snapshots on its disk", snaps, maxSnapshots},
		{"bytes of log", bytes, 6*int(c.plan.Store.SegmentSize) + c.keeps(r.Id)*(512+2*c.plan.Calls.Value)},
		{"records waiting for the log", r.Host.Waiting(), maxHeld},
	}
}

// late is how many of the slots from this one on a life lacked when it began, and may
// have got by now: one that was away, or joins late, has them beside what it usually has.
func late(r *replica, from paxos.Slot) int { return min(r.behind, max(0, int(r.missed)-int(from))) }

// ahead is how far votes reach above the first open slot. The slot of a value that
// rotted opens again, however long ago it was chosen.
func ahead(s paxos.Status, damaged bool) int {
	if damaged || s.VotesEnd <= s.FirstOpen {
		return 0
	}
	return int(s.VotesEnd - s.FirstOpen)
}

// kept is how many slots a node remembers, unless the slot of a value that rotted
// keeps it from taking snapshots.
func kept(s paxos.Status, damaged bool) int {
	if damaged {
		return 0
	}
	return int(s.VotesEnd - s.Floor)
}

// learned is how many chosen values a node remembers, with the same exception.
func learned(s paxos.Status, damaged bool) int {
	if damaged {
		return 0
	}
	return s.Values
}

// summed is how many sums a host remembers, with the same exception.
func summed(r *replica) int {
	if r.damaged {
		return 0
	}
	return r.Host.Sums()
}

// keeps is how many slots there may be below the first open one: two snapshots' worth,
// what is kept for laggards, and what came while a snapshot took long or failed. A replica
// that lacks a slot takes no snapshot behind it; how far its votes reach above that is
// another bound.
func (c *seedRun) keeps(id paxos.NodeID) int {
	return 2*int(c.plan.Driver.SnapshotEvery) + int(c.configs.KeepSlots(id)) + max(maxLate, c.pace())
}

// pace is how many slots were filled in the last 20 s or so: in a storm of waiters
// more than maxLate, and no replica can help that as long as its disk stands still.
func (c *seedRun) pace() int {
	if len(c.tops) == 0 {
		return 0
	}
	return int(c.watch.Top - c.tops[max(0, len(c.tops)-5)])
}

// files counts the snapshots on a replica's disk, and the bytes of its log.
func (c *Cell) files(r *replica) (snapshots, log int) {
	for _, f := range c.world.Machine(r.Env.Self()).Disk().Mem().Files() {
		switch {
		case strings.HasSuffix(f.Name, ".snap"):
			snapshots++
		case strings.HasSuffix(f.Name, ".wal"):
			log += int(f.Size)
		}
	}
	return snapshots, log
}

const (
	// maxLate is far above what a disk that stands still for seconds lets pass
	// before there is a snapshot of it, and below what a run fills.
	maxLate = 1_000
	// maxSnapshots are the two that are kept, one that is new, and some that are
	// bad or came back after a crash.
	maxSnapshots = 8
	// maxHeld is far above what a disk that stands still for seconds leaves
	// waiting, and far below what a leak would.
	maxHeld = 20_000
	// maxBeats is far above the heartbeats that boosts send out of turn.
	maxBeats = 20
	// maxDrift is how many windows a laggard may be behind in votes it holds and
	// does not know as chosen, while it catches up.
	maxDrift = 1_000
)
