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

// Former is what the old cell may have given out by the end of its life, which the new cell must
// not give out again. Each number is an upper bound: the backup does not know the last one.
type Former struct {
	Cell   uint64 // ID of the cell at a place of backups
	Number uint64 // last command; sessions, instances, generations and acquisitions are numbered by commands
	Epoch  uint64
	Slot   uint64
	Round  uint64
	Lease  time.Duration
}

// leap is more than any cell counts between its last backup and its restoration. It is stated
// here again, so that the checker does not take it from the product.
const leap = 1 << 40

// Lived returns what the old cell may have given out, by its run and its backup b. Call it
// before a new cell is made of b.
func (c Old) Lived(b *backup.Backup) Former {
	cell, _ := rows.CellID(b.Rows.View())
	return Former{
		Cell: cell, Number: uint64(c.Numbered) + leap, Epoch: uint64(c.Epoch) + leap, Slot: uint64(c.Top) + leap,
		Round: b.ID.Handle.Ballot.Round + leap,
		Lease: max(c.Plan.Driver.Core.Sessions.LeaseMax, rows.GetLongestLease(b.Rows.View())),
	}
}

// ComesBack returns what a new cell has of the old one that it must not have.
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

// checkDisk returns what is wrong with the disk of a new replica whose rows are those of h.
// The replica must have promised their ballot, or a candidate of the old cell could still get
// its promise. Its log must say that it lacks exactly the slots up to them.
func checkDisk(mem *vfs.Mem, h paxos.Handle) model.Finding {
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
