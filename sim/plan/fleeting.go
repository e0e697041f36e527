package plan

import (
	"cmp"
	"slices"
	"time"

	"github.com/chubbycell/chubby/internal/draw"
	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/sim/conformance/replicas"
	"github.com/chubbycell/chubby/snapshot"
)

// fleeting draws, in one cell of six, snapshots that are frequent and short-lived, so that a
// replica that was away for a moment needs one. In half of these cells a snapshot is sent in small
// pieces, and its source drops it before the peer has all of it; a cell of the usual size gets
// there only with rows that take minutes to copy. In the other half it is sent in few pieces, and
// one replica keeps many more records than the others: it may help a laggard while a snapshot is
// under way. In a swarm, such a cell always has a fault that makes laggards.
func (p *Plan) fleeting(swarm bool, at func(string) *draw.Stream) {
	d := at("fleeting")
	if !d.Chance(1, 6) || p.Workload == Big || p.Workload == Storm {
		return
	}
	p.Driver.SnapshotEvery = paxos.Slot(d.LogUniform(1, 30))
	p.Driver.KeepSlots = paxos.Slot(d.Int(4))
	p.Driver.PieceBytes = int(d.LogUniform(64, 1<<10))
	p.Driver.HoldFor = time.Duration(d.LogUniform(int64(10*time.Millisecond), int64(200*time.Millisecond)))
	if d.Chance(1, 2) {
		p.Hoarder = paxos.NodeID(1 + d.Int(p.Replicas))
		p.Driver.PieceBytes = 1 << 16
	}
	const lags = "lose-source"
	if swarm && !slices.ContainsFunc(p.Faults, func(f FaultPlan) bool { return f.Name == lags }) {
		p.Faults = append(p.Faults, FaultPlan{Name: lags, Mean: d.Duration(time.Second, 5*time.Second)})
	}
}

// usualRows is about the size of a cell's rows in a snapshot, in bytes, except in the workload with
// large files.
const usualRows = 1 << 18

// Copying estimates how long a laggard takes to fetch a snapshot of usualRows: for each piece a
// round trip, and a read of the chunk at its source.
func (p *Plan) Copying() time.Duration {
	chunk := time.Duration(min(p.ChunkSize(), usualRows)/1024+1) * p.Disk.PerKiB
	each := 2*mean(p.Link.Delay) + mean(p.Disk.Read) + chunk
	return time.Duration(usualRows/p.Driver.PieceBytes+1) * each
}

// lasting makes pieces large enough that a laggard fetches a snapshot within a sixth of
// RecoveryBound, and holds long enough for that once a source has doubled its hold as often as it
// does. All shorter holds together last about as long as that one. Without lasting, a laggard that
// gets eight bytes a millisecond would need twelve seconds for a snapshot of 100 KiB, while a
// source whose first hold is twenty milliseconds would keep no snapshot for longer than one and a
// quarter seconds.
func (p *Plan) lasting() {
	const enough = RecoveryBound / 6
	for p.Copying() > enough {
		p.Driver.PieceBytes *= 2
	}
	p.Driver.HoldFor = max(p.Driver.HoldFor, p.Copying()>>(replicas.MaxDoublings-1))
}

// RecoveryBound is the time after healing within which every call must end. Disks may still stall
// and clocks stand still for some seconds after healing; then elections and catch-up take their
// time.
const RecoveryBound = 60 * time.Second

// ChunkSize returns the chunk size of snapshots, with the default of the store in place of 0.
func (p Plan) ChunkSize() int { return cmp.Or(p.Store.ChunkSize, snapshot.DefaultChunkSize) }
