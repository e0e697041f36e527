package restore

import (
	"time"

	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/disk/backup"
	"github.com/chubbycell/chubby/replica/state/rows"
	"github.com/chubbycell/chubby/sim/damage"
	"github.com/chubbycell/chubby/sim/model"
	"github.com/chubbycell/chubby/sim/ondisk"
	"github.com/chubbycell/chubby/wal/vfs"
)

// Former is what an old cell had, with which nothing of a new one may be confused: of
// the numbers the last that it can ever have come to, for all that the backup knows.
type Former struct {
	Cell   uint64 // what it is called at a place of backups
	Number uint64 // of commands: sessions, instances, generations and acquisitions are such
	Epoch  uint64
	Slot   uint64
	Round  uint64
	Lease  time.Duration
}

// leap is more than any cell counts between its last backup and the day on which that
// is needed, whatever the product takes it for.
const leap = 1 << 40

// Lived is what the cell had of which the run is over, and its backup b, before a new
// cell is made of that.
func (c Old) Lived(b *backup.Backup) Former {
	cell, _ := rows.CellID(b.Rows.View())
	return Former{
		Cell: cell, Number: uint64(c.Numbered) + leap, Epoch: uint64(c.Epoch) + leap, Slot: uint64(c.Top) + leap,
		Round: b.ID.Handle.Ballot.Round + leap,
		Lease: max(c.Plan.Driver.Core.Sessions.LeaseMax, rows.GetLongestLease(b.Rows.View())),
	}
}

// ComesBack is what a new cell has of the old one that it must not have.
func (f Former) ComesBack(made backup.Restored) model.Finding {
	h, view := made.Handle, made.Rows.View()
	id, founded := rows.CellID(view)
	totals := rows.GetTotals(view)
	switch {
	case !founded || id == f.Cell:
		return model.Findingf("S14", "has the secret of the old one: what that has sealed is good (%x)", id)
	case rows.GetBackup(view) != rows.Backup{}:
		return model.Findingf("S3", "takes a backup of the old one for its own: %+v", rows.GetBackup(view))
	case uint64(totals.Commands) <= f.Number || h.Epoch <= f.Epoch || uint64(h.Slot) <= f.Slot || h.Ballot.Round <= f.Round:
		return model.Findingf("S2", "begins with %v, after %d commands; the old one may have come to command %d and %+v", h, totals.Commands, f.Number, f)
	}
	return model.Finding{}
}

// begins is what is wrong with the disk of a new replica, whose rows are those of h: it has
// given its word for their ballot, or a candidate of old times could have it yet; and its
// log says that it lacks all up to them, and nothing behind.
func begins(mem *vfs.Mem, h paxos.Handle) model.Finding {
	value, _ := ondisk.Register(mem, damage.Registers[0])
	says := ondisk.ReadPromise(value)
	if says.Ballot.Less(h.Ballot) {
		return model.Findingf("S2", "has promised %v, and its rows are of ballot %v", says.Ballot, h.Ballot)
	}
	if says.Floor != h.Slot+1 {
		return model.Findingf("S3", "has a log that speaks of slots from %d on, and its rows are those after slot %d", says.Floor, h.Slot)
	}
	return model.Finding{}
}
