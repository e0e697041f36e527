package backups

import (
	"errors"
	"fmt"
	"strings"

	"github.com/chubbycell/chubby/db"
	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/disk/backup"
	"github.com/chubbycell/chubby/replica/disk/store"
	"github.com/chubbycell/chubby/replica/driver"
	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/plan"
)

// Checker checks each backup when it counts, and counts what became of backups.
type Checker struct {
	Made, Found, Failed int                                  // backups written; found at their places; not written, by an error
	Newest              paxos.Slot                           // slot of the newest that counted
	Counted             map[paxos.NodeID]map[paxos.Slot]bool // slots of the backups that counted at each place

	// Largest is the size of the largest rows of which a backup was begun, in bytes.
	Largest int64

	world *sim.World
	plan  *plan.Plan
	rows  Rows
}

// Rows knows the rows after each slot.
type Rows interface {
	// CompareRows checks that rows which a replica takes for those after a slot are right
	// (S6).
	CompareRows(id paxos.NodeID, what string, s paxos.Slot, sum db.Sum)
}

// New returns a checker of a cell's backups.
func New(w *sim.World, p *plan.Plan, rows Rows) *Checker {
	return &Checker{world: w, plan: p, rows: rows, Counted: map[paxos.NodeID]map[paxos.Slot]bool{}}
}

// OnBackupBegun reports a backup that begins.
func (c *Checker) OnBackupBegun(_ paxos.NodeID, j driver.BackupJob) {
	c.Largest = max(c.Largest, j.Rows.Bytes())
}

// OnBackup checks a backup when it counts. The rows in its file must be those after its slot
// (S6), and a cell can be made of them. A backup that the replica found must be newer than
// the recorded one (S3).
func (c *Checker) OnBackup(id paxos.NodeID, j driver.BackupJob, made store.WriteResult, err error) {
	if err != nil {
		c.Failed++
		return
	}
	slot := made.ID.Handle.Slot
	b, err := c.backupOf(id, slot)
	switch {
	case errors.Is(err, backup.ErrUnfit):
		c.world.Break("S6", "replica %d has written a backup of slot %d: %v", id, slot, err)
		return
	case b == nil:
		c.world.Break("S3", "replica %d has written a backup of slot %d, and its place has none that is good", id, slot)
		return
	case made.Found && slot <= j.After:
		c.world.Break("S3", "replica %d takes the backup of slot %d for one that was never recorded, and one of slot %d is", id, slot, j.After)
		return
	case made.Found:
		c.Found++
	default:
		c.Made++
	}
	c.Newest = max(c.Newest, slot)
	c.rows.CompareRows(id, "backs up", slot, b.Rows.Checksum())
	c.OnPlaced(id, b.Cell, made)
}

// OnPlaced checks a place at which a backup has just counted. All backups there must be in
// the directory of their cell. Of those that counted, the newest must stay (S3). Older ones
// must be removed, except those that could not be read (L2).
func (c *Checker) OnPlaced(id paxos.NodeID, cell uint64, made store.WriteResult) {
	if c.Counted[id] == nil {
		c.Counted[id] = map[paxos.Slot]bool{}
	}
	c.Counted[id][made.ID.Handle.Slot] = true
	keep, files := max(c.plan.Backups.Keep, 2), 0
	for _, f := range c.world.Machine(sim.Addr(id)).Far().Mem().Files() {
		if !strings.HasSuffix(f.Name, ".snap") {
			continue
		}
		files++
		if own := fmt.Sprintf("/cell-%016x/", cell); !strings.Contains(f.Name, own) {
			c.world.Break("S3", "replica %d has put a backup where those of other cells may stand: %s, not in %s", id, f.Name, own)
		}
	}
	if counted := len(c.Counted[id]); files < min(keep, counted) {
		c.world.Break("S3", "replica %d has %d backups at its place, %d have counted there, and the newest %d are to be kept", id, files, counted, keep)
	}
	if most := keep + len(made.Bad); files > most && made.Unpruned == nil {
		c.world.Break("L2", "replica %d has %d backups at its place, bound %d", id, files, most)
	}
}

// backupOf reads the backup of a slot from a replica's place, without anything else of the
// cell. It returns nil if there is no good one, with an error if the file is bad.
func (c *Checker) backupOf(id paxos.NodeID, slot paxos.Slot) (*backup.Backup, error) {
	mem := c.world.Machine(sim.Addr(id)).Far().Mem()
	for _, f := range mem.Files() {
		if strings.HasSuffix(f.Name, fmt.Sprintf("/%020d.snap", slot)) {
			b, err := backup.Load(mem.Clone(), f.Name)
			if err != nil {
				return nil, err
			}
			return &b, nil
		}
	}
	return nil, nil
}

// Latest returns the newest backup that counted, and a replica whose place has it, or nil if
// none has.
func (c *Checker) Latest() (paxos.NodeID, *backup.Backup) {
	for _, m := range c.world.Replicas() {
		if b, _ := c.backupOf(paxos.NodeID(m.Addr()), c.Newest); b != nil {
			return paxos.NodeID(m.Addr()), b
		}
	}
	return 0, nil
}
