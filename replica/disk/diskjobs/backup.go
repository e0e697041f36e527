package diskjobs

import (
	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/disk/store"
	"github.com/chubbycell/chubby/replica/driver"
)

// Backup does backup jobs, one at a time.
type Backup struct {
	Place store.Place
	// OnDone is called with the result of each job. It may be nil.
	OnDone func(driver.BackupJob, store.WriteResult, error)
}

// Do does one job and says how it ended.
func (b *Backup) Do(j driver.BackupJob) driver.BackupDone {
	made, err := b.Place.Write(store.Backup{Handle: j.Handle, Rows: j.Rows, Cell: j.Cell, After: j.After})
	if b.OnDone != nil {
		b.OnDone(j, made, err)
	}
	if err != nil {
		return driver.BackupDone{Err: err}
	}
	return driver.BackupDone{
		Slot: paxos.Slot(made.ID.Handle.Slot), Found: made.Found,
		Rotten: len(made.Bad), Unpruned: made.Unpruned != nil,
	}
}
