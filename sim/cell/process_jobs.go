package cell

import (
	"errors"
	"io/fs"
	"time"

	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/driver"
	"github.com/chubbycell/chubby/sim/cluster"
	"github.com/chubbycell/chubby/sim/damage"
	"github.com/chubbycell/chubby/sim/event"
	"github.com/chubbycell/chubby/wal/vfs"
)

func (r *replica) OnPublished(id driver.SnapshotID) {
	r.cell.watch.Snapshots.OnPublished(r.Id, id, r.writing)
	if r.cell.events.Wanted() {
		published := event.SnapshotPublished{Replica: r.Id, Slot: id.Handle.Slot, Fetched: r.writing == nil}
		if n := r.Host.Core(); n != nil {
			published.Applied = n.Status().Applied
		}
		r.cell.publish(published)
	}
}

func (r *replica) OnUnreadable(id driver.SnapshotID, err error) {
	r.cell.watch.Snapshots.OnUnreadable(r.Id, id, err)
}

func (r *replica) Backups() cluster.BackupObserver { return r.cell.backups }

func (r *replica) OnLogBegun(j *driver.LogJob) {
	if j.Below > 0 {
		r.cell.watch.Snapshots.OnTruncate(r.Id, j.Below)
	}
	r.cell.watch.Logs.OnAppend(r.Id, j.Records)
}

func (r *replica) OnLogWritten(j *driver.LogJob, err error) {
	m := r.Env.World().Machine(r.Env.Self())
	switch {
	case err != nil:
		unwritten(r, err, j)
	case j.Below > 0:
		r.cell.faults.OnTruncated(m)
	case j.Idle:
		r.cell.watch.Logs.OnMarked(r.Id, r.tail.Watermark(m.Disk().Mem(), damage.DataDir+"/log"))
		r.cell.faults.OnMarked(m)
	default:
		r.cell.watch.Rot.OnVouched(r.Id, j.Records, m.Disk().Mem())
		written(r, j)
	}
}

func (r *replica) OnLogDone(now time.Time, j *driver.LogJob) { r.life.OnLogDone(now, j) }

func (r *replica) OnBulkAsked(j driver.BulkJob) {
	if _, writes := j.(driver.WriteJob); writes && r.life.IsOvertaking() {
		r.cell.watch.Snapshots.Cut++
	}
}

func (r *replica) OnBulkBegun(j driver.BulkJob) {
	switch j := j.(type) {
	case driver.WriteJob:
		r.writing = &j.Rows
	case driver.PutJob:
		r.cell.watch.Snapshots.OnPiecePut(r.Id, &r.pieces, j.Piece)
	}
}

func (r *replica) OnBulkEnded() { r.writing = nil }

func (r *replica) OnBulkDone(now time.Time, result driver.BulkResult) {
	r.life.OnBulkDone(now, result)
	r.cell.watch.Snapshots.OnBulkDone(r.Id, result)
}

func written(r *replica, j *driver.LogJob) {
	if len(j.Records) > 0 {
		r.unsynced = append(r.unsynced, j.Records...)
		r.upto = j.First + paxos.LSN(len(j.Records)) - 1
	}
	if j.Sync {
		if r.cell.events.Wanted() {
			r.cell.publish(event.Durable{Replica: r.Id, Records: r.unsynced, First: r.upto - paxos.LSN(len(r.unsynced)) + 1})
		}
		r.cell.watch.Logs.OnDurable(r.Id, r.unsynced)
		r.cell.watch.Logs.OnSynced(r.Id, r.upto)
		r.unsynced = r.unsynced[:0]
	}
}

// unwritten counts the syncs that fail while a message waits for what they cover.
func unwritten(r *replica, err error, j *driver.LogJob) {
	var pe *fs.PathError
	if errors.As(err, &pe) && (pe.Op == vfs.OpSync.String() || pe.Op == vfs.OpSyncData.String()) && len(r.unsynced)+len(j.Records) > 0 {
		r.cell.rare.syncs++
	}
}
