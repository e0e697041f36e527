package cluster

import (
	"time"

	"github.com/chubbycell/chubby/replica/disk/diskjobs"
	"github.com/chubbycell/chubby/replica/disk/store"
	"github.com/chubbycell/chubby/replica/driver"
	"github.com/chubbycell/chubby/sim/damage"
)

// runJob is the log lane: plain calls of the store, each an event.
func (r *Replica) runJob() {
	r.Observer.OnLogBegun(r.job)
	err := diskjobs.Log(r.Store, *r.job)
	r.Observer.OnLogWritten(r.job, err)
	if err == nil && r.Store.WantsAhead() {
		r.Env.Go("segment", func() { _ = r.Store.MakeAhead() }) // then it is made when it is needed
	}
	r.posts(func(now time.Time) {
		r.Observer.OnInput(now)
		r.Observer.OnLogDone(now, r.job)
		r.Host.LogDone(now, err)
		r.Act()
	})
}

// runBulk is the bulk lane, beside the log lane: the same disk, call by call.
func (r *Replica) runBulk(j driver.BulkJob) {
	r.Observer.OnBulkBegun(j)
	result := r.bulk.Do(j)
	r.Observer.OnBulkEnded()
	r.posts(func(now time.Time) {
		r.Observer.OnInput(now)
		r.Observer.OnBulkDone(now, result)
		r.Host.BulkDone(now, result)
		r.Act()
	})
}

// runBackup is the backup lane: another disk, call by call.
func (r *Replica) runBackup(j driver.BackupJob) {
	p := r.plan.Backups
	b := diskjobs.Backup{
		Place:  store.Place{FS: r.Env.FarFS(), Dir: damage.DataDir, Keep: p.Keep, ChunkSize: p.Chunk},
		OnDone: r.Observer.OnBackup,
	}
	done := b.Do(j)
	r.posts(func(now time.Time) {
		r.Host.BackupDone(now, done)
		r.Act()
	})
}
