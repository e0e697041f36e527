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

// fleeting draws cells, one in six, whose snapshots are many, and short-lived: a replica that was
// away for a moment needs one. In half of them it goes over in small pieces, and its source
// moves on before the peer has it: a cell of the usual size comes to that with rows that
// take minutes to copy. In the others it goes over in few, and one replica keeps many more
// records than the rest do: it may help a laggard to which a snapshot is on its way. In a
// swarm there is always a fault in them that makes laggards.
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

// usualRows is about what the rows of a cell take in a snapshot, but for one of large files.
const usualRows = 1 << 18

// Copying is about how long a laggard takes for a snapshot of the usual rows: for each piece
// there and back, and its source reads the chunk that it is in.
func (p *Plan) Copying() time.Duration {
	chunk := time.Duration(min(p.ChunkSize(), usualRows)/1024+1) * p.Disk.PerKiB
	each := 2*mean(p.Link.Delay) + mean(p.Disk.Read) + chunk
	return time.Duration(usualRows/p.Driver.PieceBytes+1) * each
}

// lasting gives a laggard pieces of a size with which it has a snapshot in a sixth of what
// it has after healing, and sources a hold that is long enough for that when it has doubled
// as often as it does; the holds before that one are as long together. One that gets eight
// bytes in a millisecond has a snapshot of 100 KiB after twelve seconds, and a source whose
// hold is twenty milliseconds at first keeps none for longer than one and a quarter.
func (p *Plan) lasting() {
	const enough = RecoveryBound / 6
	for p.Copying() > enough {
		p.Driver.PieceBytes *= 2
	}
	p.Driver.HoldFor = max(p.Driver.HoldFor, p.Copying()>>(replicas.MaxDoublings-1))
}

// RecoveryBound is how long after healing every call must have ended: disks
// that stall and clocks that stand still may do so for some more seconds, then
// elections and catch-up take their time.
const RecoveryBound = 60 * time.Second

// ChunkSize is what a store makes of its option, whose zero is a good size.
func (p Plan) ChunkSize() int { return cmp.Or(p.Store.ChunkSize, snapshot.DefaultChunkSize) }
