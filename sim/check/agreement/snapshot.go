package agreement

import (
	"errors"

	"github.com/chubbycell/chubby/db"
	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/core"
	"github.com/chubbycell/chubby/replica/disk/store"
	"github.com/chubbycell/chubby/replica/driver"
	"github.com/chubbycell/chubby/wal/vfs"
)

// snapshotCounts counts what became of snapshots.
type snapshotCounts struct {
	driver.Counters     // of the lives that are over
	Older           int // restarts from an older snapshot, since the newest was bad
	Cut             int // times that a peer was fetching when the next snapshot began
	Overtaken       int // snapshots from peers that were of no use when they were complete
	Sums            int // checksums compared while the replica was writing a snapshot
	Spoilt          int // snapshots that were found bad when they were read
}

// Add adds the counters of a life.
func (s *snapshotCounts) Add(c driver.Counters) {
	s.SnapshotsWritten += c.SnapshotsWritten
	s.SnapshotsFailed += c.SnapshotsFailed
	s.TransfersFailed += c.TransfersFailed
	s.TransfersRestarted += c.TransfersRestarted
	s.SourcesSwitched += c.SourcesSwitched
	s.StalePieces += c.StalePieces
	s.SumsAskedAgain += c.SumsAskedAgain
	s.SumsRelayed += c.SumsRelayed
	s.SumsOutdated += c.SumsOutdated
	s.SumsInMinority += c.SumsInMinority
}

// Snapshots compares snapshots with the rows of all replicas (S6), and demands that they hold
// what logs lack (S3).
type Snapshots struct {
	*truth
	snapshotCounts

	Keep paxos.Slot // how many slots, of those that its log may drop, a replica must keep
}

// CompareRows checks that rows which a replica takes for those after a slot are right (S6),
// and that the slot was chosen and applied at all (S3). what is the verb for the report.
func (h *Snapshots) CompareRows(id paxos.NodeID, what string, s paxos.Slot, sum db.Sum) {
	f := h.Slot(s)
	if !f.applied {
		h.world.Break("S3", "replica %d %s a snapshot of slot %d, which no replica has applied", id, what, s)
		return
	}
	if f.Summed && f.Sum != sum {
		h.world.Break(h.broken(id, "S6"), "replica %d %s a snapshot of slot %d with checksum %v, the rows had %v", id, what, s, sum, f.Sum)
	}
}

// OnPublished reports that a snapshot is durable from now on. rows are its rows, or nil if it
// came from a peer. They must be those of a majority, whatever has happened to the memory
// that they come from: a start may begin with them, and a laggard may get them (S6).
func (h *Snapshots) OnPublished(id paxos.NodeID, s driver.SnapshotID, rows *db.View) {
	d, slot := &h.Disks[id], s.Handle.Slot
	d.snapshot = max(d.snapshot, slot)
	d.stock.add(slot)
	if rows != nil {
		d.own = slot
		h.CompareRows(id, "publishes", slot, rows.Recompute())
	}
	switch f := h.Slot(slot); {
	case !f.applied:
		h.world.Break("S3", "replica %d publishes a snapshot of slot %d, which no replica has applied", id, slot)
	case !f.Summed:
		h.world.Break("S6", "replica %d publishes a snapshot of slot %d, which no replica has applied whose rows were not made to differ", id, slot)
	}
}

// Pieces is what a replica has passed to its disk of a snapshot that it fetches.
type Pieces struct {
	id  driver.SnapshotID
	end int64
}

// OnPiecePut reports that a replica passes a piece to its disk. It must be the first one of a
// snapshot, or the one after the last of this very snapshot (I-W2). The disk would refuse any
// other and fail the transfer only, so a replica that mixed pieces would never recover while
// its sources publish new snapshots.
func (h *Snapshots) OnPiecePut(id paxos.NodeID, p *Pieces, next driver.Piece) {
	if next.Offset > 0 && (!p.id.Equal(next.ID) || p.end != next.Offset) {
		h.world.Break("I-W2", "replica %d hands its disk %v from %d on, after %v up to %d", id, next.ID, next.Offset, p.id, p.end)
	}
	h.Disks[id].questions.piece = question{}
	*p = Pieces{next.ID, next.Offset + int64(len(next.Data))}
}

// OnBulkDone reports the end of a disk job; it counts fetched snapshots that are of no use
// any more.
func (h *Snapshots) OnBulkDone(id paxos.NodeID, result driver.BulkResult) {
	if put, ok := result.(driver.PutDone); ok && put.Rows != nil && put.ID.Handle.Slot <= h.Disks[id].Applied {
		h.Overtaken++
	}
}

// OnTruncate reports that a replica is about to drop from its log what concerns slots below.
// Two durable snapshots must hold that, since one may rot; otherwise it can be lost (S3). A
// snapshot that the replica had found bad when it decided does not count. The last Keep of
// the covered slots must stay: a replica that was away for a moment should be helped with
// records, without a whole snapshot (L1).
func (h *Snapshots) OnTruncate(id paxos.NodeID, below paxos.Slot) {
	d := &h.Disks[id]
	switch end := d.stock.covered + 1; {
	case below > end:
		h.world.Break("S3", "replica %d drops the slots below %d from its log, the durable snapshots that it has not found bad are of slots %v", id, below, d.stock.good)
	case below+h.Keep > end:
		h.world.Break("L1", "replica %d drops the slots below %d from its log, of those below %d it is to keep %d for laggards", id, below, end, h.Keep)
	}
	d.cut = max(d.cut, below)
}

// onRecovered compares the snapshot that a disk gave back with what it had (S3, S6). A
// confirmed snapshot may be missing only if the store reports that it is bad.
func (h *Snapshots) onRecovered(id paxos.NodeID, rec store.Recovered, report store.Report) {
	d, s := &h.Disks[id], rec.Snapshot.Slot
	for _, b := range report.Bad {
		if !h.Budget.IsHurt(id) && !errors.Is(b.Err, vfs.ErrIO) {
			h.world.Break("S17", "replica %d takes its snapshot of slot %d for bad, on a disk that nothing has damaged: %v", id, b.Slot, b.Err)
		}
	}
	switch {
	case s < d.snapshot && len(report.Bad) == 0:
		h.world.Break(h.broken(id, "S3"), "replica %d begins with its snapshot of slot %d, its disk had one of slot %d", id, s, d.snapshot)
	case s < d.snapshot && s > 0:
		h.Older++
	}
	if s > 0 {
		h.CompareRows(id, "begins with", s, rec.Rows.Checksum())
	}
	if rec.Floor > s+1 {
		h.world.Break(h.broken(id, "S3"), "replica %d begins with its snapshot of slot %d, its log lacks the slots below %d", id, s, rec.Floor)
	}
	d.snapshot, d.Applied, d.cut = s, s, max(d.cut, rec.Floor)
	d.stock.begin(s, report)
}

// checkReach checks from which slot on a replica can help laggards with values as its life begins. If
// it wrote its newest snapshot itself, it had all values up to there, and two snapshots must stand in
// for those that it has no more. Otherwise nothing is left for a laggard if the newest snapshot rots,
// and the replica itself writes no other as long as most others are laggards (L1). What its log had
// dropped before is exempt: two snapshots held it then, and one of them may have been found bad since.
func (h *Snapshots) checkReach(id paxos.NodeID, floor paxos.Slot) {
	d := &h.Disks[id]
	if older := d.stock.pair(); d.snapshot == d.own && older > 0 && floor > max(older+1, d.cut) && !h.Budget.IsHurt(id) {
		h.world.Diverge("L1", "replica %d starts without the values below slot %d; it wrote its snapshot of slot %d itself, and the one before is of slot %d", id, floor, d.own, older)
	}
}

// OnInstalled checks a snapshot that has replaced the rows of a replica (S2, S3, S6).
func (h *Snapshots) OnInstalled(id paxos.NodeID, i *core.Installed) {
	d := &h.Disks[id]
	if i.Handle.Slot <= d.Applied {
		h.world.Break("S2", "replica %d goes back from slot %d to a snapshot of slot %d", id, d.Applied, i.Handle.Slot)
	}
	d.Applied = i.Handle.Slot
	for s := range d.missing { // order-free: all below are forgotten
		if s <= i.Handle.Slot {
			delete(d.missing, s)
		}
	}
	h.CompareRows(id, "installs", i.Handle.Slot, i.Sum)
	d.Stray, d.rot = false, 0 // rows that were made to differ are replaced with all others
}
