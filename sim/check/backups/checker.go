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

// Checker looks at each backup at the instant at which it counts, and knows what came of
// backups.
type Checker struct {
	Made, Found, Failed int                                  // backups written, found at their places, not written
	Newest              paxos.Slot                           // of all that counted
	Counted             map[paxos.NodeID]map[paxos.Slot]bool // those that counted, at each place

	world *sim.World
	plan  *plan.Plan
	rows  Rows
}

// Rows knows what the rows after each slot are.
type Rows interface {
	// CompareRows checks that rows which a replica says are those after a slot are (S6).
	CompareRows(id paxos.NodeID, what string, s paxos.Slot, sum db.Sum)
}

// New is a checker of a cell's backups.
func New(w *sim.World, p *plan.Plan, rows Rows) *Checker {
	return &Checker{world: w, plan: p, rows: rows, Counted: map[paxos.NodeID]map[paxos.Slot]bool{}}
}

// OnBackup checks a backup at the instant at which it counts: the rows in its file
// are those after its slot (S6), and a cell can be made of them; one that was found is
// newer than the one that is recorded (S3).
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

// OnPlaced looks at a place where a backup has just counted: what stands there stands
// in the directory of its cell, and of what has counted the newest stay (S3); what is
// older goes, but for what could not be read (L2).
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

// backupOf reads the backup of a slot from the place of a replica, as an operator would
// who has only that; nil where there is none that is good, with the reason if there is
// one.
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

// Latest is the newest that counts, and a replica whose place has it; nil where
// none has.
func (c *Checker) Latest() (paxos.NodeID, *backup.Backup) {
	for _, m := range c.world.Replicas() {
		if b, _ := c.backupOf(paxos.NodeID(m.Addr()), c.Newest); b != nil {
			return paxos.NodeID(m.Addr()), b
		}
	}
	return 0, nil
}
