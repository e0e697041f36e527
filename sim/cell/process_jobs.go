package cell

import (
	"errors"
	"io/fs"
	"time"

	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/disk/diskjobs"
	"github.com/chubbycell/chubby/replica/driver"
	"github.com/chubbycell/chubby/sim/damage"
	"github.com/chubbycell/chubby/sim/event"
	"github.com/chubbycell/chubby/wal/vfs"
)

// runJob is the log lane: plain calls of the store, each an event.
func (r *replica) runJob() {
	err := r.write(r.job)
	r.env.Post(func(now time.Time) {
		now = r.reads(now)
		r.nudge(now)
		r.life.OnLogDone(now, r.job)
		r.host.LogDone(now, err)
		r.act()
	})
}

// runBulk is the bulk lane, beside the log lane: the same disk, call by call.
func (r *replica) runBulk(j driver.BulkJob) {
	switch j := j.(type) {
	case driver.WriteJob:
		r.writing = &j.Rows
	case driver.PutJob:
		r.cell.watch.OnPiecePut(r.id, &r.pieces, j.Piece)
	}
	result := r.bulk.Do(j)
	r.writing = nil
	r.env.Post(func(now time.Time) {
		now = r.reads(now)
		r.nudge(now)
		r.life.OnBulkDone(now, result)
		r.cell.watch.OnBulkDone(r.id, result)
		r.host.BulkDone(now, result)
		r.act()
	})
}

// write does a job of the log lane, and tells who watches at the very instant at which
// it is done, whether or not the process lives to hear of it.
func (r *replica) write(j *driver.LogJob) error {
	if j.Below > 0 {
		r.cell.watch.OnTruncate(r.id, j.Below)
	}
	r.cell.watch.OnAppend(r.id, j.Records)
	err := diskjobs.Log(r.store, *j)
	switch {
	case err != nil:
		r.unwritten(err, j)
	case j.Below > 0:
		r.cell.faults.OnTruncated(r.env.World().Machine(r.env.Self()))
	case j.Idle:
		m := r.env.World().Machine(r.env.Self())
		r.cell.watch.OnMarked(r.id, r.tail.Watermark(m.Disk().Mem(), damage.DataDir+"/log"))
		r.cell.faults.OnMarked(m)
	default:
		r.cell.watch.OnVouched(r.id, j.Records, r.env.World().Machine(r.env.Self()).Disk().Mem())
		r.written(j)
	}
	return err
}

func (r *replica) written(j *driver.LogJob) {
	if len(j.Records) > 0 {
		r.unsynced = append(r.unsynced, j.Records...)
		r.upto = j.First + paxos.LSN(len(j.Records)) - 1
	}
	if j.Sync {
		r.cell.watch.OnDurable(r.id, r.unsynced)
		if r.cell.events.Wanted() {
			r.cell.publish(event.Durable{Replica: r.id, Records: r.unsynced})
		}
		r.cell.watch.OnSynced(r.id, r.upto)
		r.unsynced = r.unsynced[:0]
	}
}

// unwritten counts the syncs that fail while a message waits for what they cover.
func (r *replica) unwritten(err error, j *driver.LogJob) {
	var pe *fs.PathError
	if errors.As(err, &pe) && (pe.Op == vfs.OpSync.String() || pe.Op == vfs.OpSyncData.String()) && len(r.unsynced)+len(j.Records) > 0 {
		r.cell.rare.syncs++
	}
}
