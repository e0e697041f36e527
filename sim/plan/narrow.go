package plan

import (
	"time"

	"github.com/chubbycell/chubby/internal/draw"
	"github.com/chubbycell/chubby/sim"
)

// narrow draws low limits for one cell of four: few commands wait for a slot, few calls are under
// way, few handles are open, few Acquires wait and few sessions are alive. So the log refuses
// proposals of masters, and calls are refused for lack of room. A cell of the usual size reaches
// such states only under loads that no run can simulate for long.
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
	// A session must be able to open two handles for each of its programs, or they can do little.
	least := 2 * int64(p.Calls.Threads)
	n.NodeOps.Handles.PerSession = int(d.LogUniform(least, 16*least))
	n.NodeOps.Handles.Closed = int(d.LogUniform(least, 64*least))
	n.NodeOps.Queues.PerLock = int(d.LogUniform(1, 16))
	if p.Hostile.Gap == 0 { // a hostile client would take all the room
		n.NodeOps.Handles.Total = int(d.LogUniform(least*clients, 32*least*clients))
		n.NodeOps.Queues.Total = int(d.LogUniform(1, 64))
	}
	if p.Hostile.Gap == 0 && n.Sessions.LeaseMin > 0 { // otherwise sessions of crashed clients stay
		n.MaxSessions = p.Clients + d.Int(3)
		if p.Workload == Fenced {
			n.MaxSessions++ // the resource has a session, too
		}
	}
}

// mostInNarrow is the most programs of such a cell: of more programs, most calls would be refused
// most of the time.
const mostInNarrow = 24

// roomy makes the log large enough for many programs, or for programs whose reads need the log
// because there are no master leases. A segment must hold several commands, and a slot must hold so
// many that each program can have one command executed each second: after healing each program
// makes some ten calls, including those that it had given up. If each command had a segment of its
// own on a slow disk, or a slot of its own that waits for the slot before it, the cell would
// execute only ten a second; calls that programs give up are executed all the same, so the backlog
// would last for minutes. A program that receives an event reads the node again: if reads need the
// log, one slot has room for all reads that one write causes.
func (p *Plan) roomy() {
	programs := p.Clients * p.Calls.Threads
	if programs <= mostInNarrow && p.Driver.Core.Paxos.Lease.Grant > 0 {
		return
	}
	p.Store.SegmentSize = max(p.Store.SegmentSize, min(4*int64(p.Calls.Value), 1<<14), leastSegment)
	log := &p.Driver.Core.Paxos
	least := time.Duration(programs) * p.agreement() / time.Second // commands under way at one time
	if log.Lease.Grant == 0 {
		least = max(least, time.Duration(programs*int(p.Watch.Share)/4))
	}
	log.MaxBatchCommands = max(log.MaxBatchCommands, int(least)/log.Window)
}

// leastSegment holds some tens of commands of the smallest size. A new segment costs six syncs.
const leastSegment = 1 << 12

// agreement estimates how long a slot takes: a round trip, a sync at either end, and its share of
// the syncs of snapshots on the same disk.
func (p *Plan) agreement() time.Duration {
	sync := mean(p.Disk.Sync)
	return 2*mean(p.Link.Delay) + 2*sync + snapshotSyncs*sync/slotsBetween(p)
}

// slotsBetween estimates how many slots lie between two snapshots.
func slotsBetween(p *Plan) time.Duration {
	slots := int64(p.Driver.SnapshotEvery)
	return time.Duration(min(slots, max(1, p.Driver.SnapshotBytes/(slotBytes+int64(p.Calls.Value)))))
}

// slotBytes is about the size of a slot in the log without its value.
const slotBytes = 200

// snapshotSyncs is about the number of syncs for a snapshot of one chunk: of its file, of its
// directory, and of the manifest of the log that is shortened after it.
const snapshotSyncs = 6

func mean(t sim.Table) (d time.Duration) {
	for _, x := range t {
		d += x
	}
	return d / time.Duration(len(t))
}
