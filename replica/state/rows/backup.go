package rows

import (
	"time"

	"github.com/chubbycell/chubby/db"
)

// Backup is what a cell records of its backups. The age of the newest is given as the time
// that masters have served since, and not by a date: no two clocks agree on a date, and
// while no master serves nothing changes that a backup could lack.
type Backup struct {
	Slot    uint64        // of the rows in the newest one that is recorded; 0: none is
	Elapsed time.Duration // as last noted: the time that masters served since those rows, or since the cell began
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

// SetBackup records b, with Elapsed, which must not be negative, rounded down to whole
// milliseconds. It returns false, and changes nothing, if a newer backup is recorded, or the
// same one with an Elapsed that is not smaller.
func SetBackup(tx *db.Txn, b Backup) bool {
	b.Elapsed = b.Elapsed.Truncate(time.Millisecond)
	old := GetBackup(tx)
	if b.Slot < old.Slot || b.Slot == old.Slot && b.Elapsed <= old.Elapsed {
		return false
	}
	tx.Put(backupKey, write(b.Slot, uint64(b.Elapsed/time.Millisecond)))
	return true
}
