package cluster

import (
	"time"

	"github.com/chubbycell/chubby/replica/disk/diskjobs"
	"github.com/chubbycell/chubby/replica/disk/store"
	"github.com/chubbycell/chubby/replica/driver"
	"github.com/chubbycell/chubby/sim/damage"
)

// runJob runs a log job: plain calls of the store, each an event.
func (r *Replica) runJob() {
	r.Observer.OnLogBegun(r.job)
	err := diskjobs.Log(r.Store, *r.job)
	r.Observer.OnLogWritten(r.job, err)
	if err == nil && r.Store.WantsAhead() {
		r.Env.Go("segment", func() { _ = r.Store.MakeAhead() }) // on an error, the store makes it when it needs it
	}
	r.post(func(now time.Time) {
		r.Observer.OnInput(now)
		r.Observer.OnLogDone(now, r.job)
		r.Host.LogDone(now, err)
		r.Act()
	})
}

// runBulk runs a bulk job, beside log jobs on the same disk. Each call is an event.
func (r *Replica) runBulk(j driver.BulkJob) {
	r.Observer.OnBulkBegun(j)
	result := r.bulk.Do(j)
	r.Observer.OnBulkEnded()
	r.post(func(now time.Time) {
		r.Observer.OnInput(now)
		r.Observer.OnBulkDone(now, result)
		r.Host.BulkDone(now, result)
		r.Act()
	})
}

// runBackup runs a backup job, on another disk. Each call is an event.
func (r *Replica) runBackup(j driver.BackupJob) {
	p := r.plan.Backups
	b := diskjobs.Backup{
		Place: store.Place{FS: r.Env.FarFS(), Dir: damage.DataDir, Keep: p.Keep, ChunkSize: p.Chunk},
		OnDone: func(j driver.BackupJob, made store.WriteResult, err error) {
			r.Observer.Backups().OnBackup(r.Id, j, made, err)
		},
	}
	r.Observer.Backups().OnBackupBegun(r.Id, j)
	done := b.Do(j)
	r.post(func(now time.Time) {
		r.Host.BackupDone(now, done)
		r.Act()
	})
}
