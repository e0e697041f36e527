package rows

import (
	"time"

	"github.com/chubbycell/chubby/db"
)

// Backup is what a cell knows of its backups. It says in time that masters served,
// and not by a date, how old the newest one is: no two clocks agree on that, and
// while nobody serves nothing changes that a backup could lack.
type Backup struct {
	Slot    uint64        // of the rows in the newest one that is recorded; 0: none is
	Elapsed time.Duration // that masters served since those rows, or the cell, began; what was noted of it
}

// GetBackup reads what is recorded. The zero Backup is that of a new cell.
func GetBackup(r Reader) (b Backup) {
	if value, ok := r.Get(backupKey); ok {
		var ms uint64
		read(backupKey, value, &b.Slot, &ms)
		b.Elapsed = time.Duration(ms) * time.Millisecond
	}
	return b
}

// SetBackup records b, whose Elapsed is not negative and taken to whole
// milliseconds, downwards. It says false, and changes nothing, where as much is
// recorded already: an older backup, or no longer a time since the same one.
func SetBackup(tx *db.Txn, b Backup) bool {
	b.Elapsed = b.Elapsed.Truncate(time.Millisecond)
	old := GetBackup(tx)
	if b.Slot < old.Slot || b.Slot == old.Slot && b.Elapsed <= old.Elapsed {
		return false
	}
	tx.Put(backupKey, write(b.Slot, uint64(b.Elapsed/time.Millisecond)))
	return true
}
