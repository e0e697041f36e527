package plan

import (
	"time"

	"github.com/chubbycell/chubby/internal/draw"
	"github.com/chubbycell/chubby/sim"
)

// narrow draws cells, one in four, in which masters take little at a time: few
// commands wait for a slot, few calls are under way, few handles are open, few
// Acquires wait and few sessions are alive. So the log refuses what masters
// propose, and calls are refused that a later try may find room for: states that a cell
// of the usual size comes to under loads that no run can simulate for long.
func (p *Plan) narrow(at func(string) *draw.Stream) {
	d := at("narrow")
	if !d.Chance(1, 4) || p.Clients*p.Calls.Threads > mostInNarrow {
		return
	}
	n, clients := &p.Driver.Core, int64(p.Clients)
	p.Calls.Narrow = true
	n.Paxos.MaxPending = int(d.LogUniform(1, 16))
	n.MaxPending = int(d.LogUniform(2, 64))
	if d.Chance(1, 2) { // the log is full whenever a disk or a link is slow
		n.Paxos.Window, n.Paxos.MaxBatchCommands = int(d.Between(1, 2)), int(d.Between(1, 4))
		n.Paxos.MaxPending = int(d.Between(1, 2))
	}
	// A session opens two handles for each of its programs, or is not of much use.
	least := 2 * int64(p.Calls.Threads)
	n.NodeOps.Handles.PerSession = int(d.LogUniform(least, 16*least))
	n.NodeOps.Handles.Closed = int(d.LogUniform(least, 64*least))
	n.NodeOps.Queues.PerLock = int(d.LogUniform(1, 16))
	if p.Hostile.Gap == 0 { // which would take all that there is
		n.NodeOps.Handles.Total = int(d.LogUniform(least*clients, 32*least*clients))
		n.NodeOps.Queues.Total = int(d.LogUniform(1, 64))
	}
	if p.Hostile.Gap == 0 && n.Sessions.LeaseMin > 0 { // else those of clients that are gone stay
		n.MaxSessions = p.Clients + d.Int(3)
		if p.Workload == Fenced {
			n.MaxSessions++ // the resource has one
		}
	}
}

// mostInNarrow is how many programs at most share so little: more of them would only be
// refused, most of the time.
const mostInNarrow = 24

// roomy gives many programs, and those whose reads are rounds of the log too, a log whose segments
// hold several of their commands, and whose slots hold so many that each program may have one done in a
// second: after healing each makes some ten, those that it had given up before among them. Where each is
// a segment of its own, on a slow disk, or a slot of its own that waits for the one before, ten a second
// are all that there is; what programs give up is done all the same, and is not over for minutes. A
// program that hears of a change reads the node again: where reads are rounds of the log, one slot has
// room for those that a write brings about.
func (p *Plan) roomy() {
	programs := p.Clients * p.Calls.Threads
	if programs <= mostInNarrow && p.Driver.Core.Paxos.Lease.Grant > 0 {
		return
	}
	p.Store.SegmentSize = max(p.Store.SegmentSize, min(4*int64(p.Calls.Value), 1<<14), leastSegment)
	log := &p.Driver.Core.Paxos
	least := time.Duration(programs) * p.agreement() / time.Second // under way at one time
	if log.Lease.Grant == 0 {
		least = max(least, time.Duration(programs*int(p.Watch.Share)/4))
	}
	log.MaxBatchCommands = max(log.MaxBatchCommands, int(least)/log.Window)
}

// leastSegment holds some tens of commands of the smallest size. A new segment costs six syncs.
const leastSegment = 1 << 12

// agreement is about how long a slot takes: there and back, a sync at either end, and
// those of the snapshots that come between, on the same disk.
func (p *Plan) agreement() time.Duration {
	sync := mean(p.Disk.Sync)
	return 2*mean(p.Link.Delay) + 2*sync + snapshotSyncs*sync/slotsBetween(p)
}

// slotsBetween is about how many slots lie between two snapshots.
func slotsBetween(p *Plan) time.Duration {
	slots := int64(p.Driver.SnapshotEvery)
	return time.Duration(min(slots, max(1, p.Driver.SnapshotBytes/(slotBytes+int64(p.Calls.Value)))))
}

// slotBytes is about what a slot takes in a log beside its value.
const slotBytes = 200

// snapshotSyncs is about how often a snapshot of one chunk syncs: its file, its
// directory, the manifest of the log that it lets go of.
const snapshotSyncs = 6

func mean(t sim.Table) (d time.Duration) {
	for _, x := range t {
		d += x
	}
	return d / time.Duration(len(t))
}
