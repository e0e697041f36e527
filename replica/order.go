package replica

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/driver"
	"github.com/chubbycell/chubby/replica/state/rows"
)

// Backup is a backup that was written.
type Backup struct {
	Slot paxos.Slot // it holds the rows after this slot of the log
	File string     // its name in Config.Backups.FS
}

// Errors of Backup, beside ErrNotMaster, ErrStopped and those of the context.
var (
	// ErrNoBackups: Config names no place of backups.
	ErrNoBackups = errors.New("no place of backups is configured")
	// ErrBackupFailed: no backup was written; the text says why. The master tries again by itself, as
	// it does for every failed backup.
	ErrBackupFailed = errors.New("no backup was written")
	// ErrBackupLost: the replica ceased to be master before the backup was done. It may still be written.
	ErrBackupLost = errors.New("the replica is not the master any more: the backup may be written, or not")
)

// orderEvery is how often Backup asks whether its backup is done.
const orderEvery = 20 * time.Millisecond

// Backup makes the replica write a backup now, and returns when the backup is durable. Call it at the
// master. The backup holds everything that was acknowledged to clients before the call. The next backup
// of Driver.BackupEvery follows an interval later. If ctx ends, Backup returns its cause, and the backup
// may still be written.
func (r *Replica) Backup(ctx context.Context) (Backup, error) {
	if r.cfg.Backups == nil {
		return Backup{}, ErrNoBackups
	}
	var order, cell uint64
	var ok bool
	if err := r.ask(ctx, func(h *driver.Driver, now time.Time) {
		if order, ok = h.OrderBackup(now); ok {
			cell, _ = rows.CellID(h.Core().View())
		}
	}); err != nil {
		return Backup{}, err
	}
	if !ok {
		return Backup{}, ErrNotMaster
	}
	tick := time.NewTicker(orderEvery)
	defer tick.Stop()
	for {
		var done driver.BackupDone
		var settled, lost bool
		if err := r.ask(ctx, func(h *driver.Driver, _ time.Time) { done, settled, lost = h.BackupOrder(order) }); err != nil {
			return Backup{}, err
		}
		switch {
		case lost:
			return Backup{}, ErrBackupLost
		case settled && done.Err != nil:
			return Backup{}, fmt.Errorf("%w: %s", ErrBackupFailed, oneLine(done.Err))
		case settled:
			return Backup{done.Slot, r.cfg.Backups.File(cell, uint64(done.Slot))}, nil
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return Backup{}, context.Cause(ctx)
		}
	}
}
