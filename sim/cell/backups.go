package cell

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/disk/backup"
	"github.com/chubbycell/chubby/replica/disk/store"
	"github.com/chubbycell/chubby/replica/driver"
	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/plan"
	"github.com/chubbycell/chubby/sim/restore"
	"github.com/chubbycell/chubby/wal/vfs"
)

// backupBook is what came of backups.
type backupBook struct {
	cell                *Cell
	made, found, failed int
	counted             map[paxos.NodeID]map[paxos.Slot]bool // at each place
	newest              paxos.Slot
	reborn              bool   // a new cell was made of the newest
	hash                uint64 // of its world
}

// spoils makes the far disk of a replica fail now and then, until healing: it is
// full, cannot be written, or loses what it was to sync.
func (c *backupBook) spoils(m *sim.Machine) {
	if m.Far() == nil {
		return
	}
	d := c.cell.world.Draw("cell.far", uint64(m.Addr()))
	m.Far().Mem().SetFault(func(call vfs.Call) vfs.Fault {
		if c.cell.faults.Healed() || call.Op == vfs.OpClose || !d.Chance(c.cell.plan.Backups.Fails, 1000) {
			return vfs.Fault{}
		}
		if d.Chance(1, 2) {
			return vfs.Fault{Err: vfs.ErrNoSpace, Short: call.N / 2}
		}
		return vfs.Fault{Err: vfs.ErrIO, Drop: true}
	})
}

// backedUp checks a backup at the instant at which it counts: the rows in its file
// are those after its slot (S6), and a cell can be made of them; one that was found is
// newer than the one that is recorded (S3).
func (c *backupBook) backedUp(id paxos.NodeID, j driver.BackupJob, made store.WriteResult, err error) {
	if err != nil {
		c.failed++
		return
	}
	slot := made.ID.Handle.Slot
	b, err := c.backupOf(id, slot)
	switch {
	case errors.Is(err, backup.ErrUnfit):
		c.cell.world.Break("S6", "replica %d has written a backup of slot %d: %v", id, slot, err)
		return
	case b == nil:
		c.cell.world.Break("S3", "replica %d has written a backup of slot %d, and its place has none that is good", id, slot)
		return
	case made.Found && slot <= j.After:
		c.cell.world.Break("S3", "replica %d takes the backup of slot %d for one that was never recorded, and one of slot %d is", id, slot, j.After)
		return
	case made.Found:
		c.found++
	default:
		c.made++
	}
	c.newest = max(c.newest, slot)
	c.cell.watch.Snapshots.CompareRows(id, "backs up", slot, b.Rows.Checksum())
	c.placed(id, b.Cell, made)
}

// placed looks at a place where a backup has just counted: what stands there stands
// in the directory of its cell, and of what has counted the newest stay (S3); what is
// older goes, but for what could not be read (L2).
func (c *backupBook) placed(id paxos.NodeID, cell uint64, made store.WriteResult) {
	if c.counted == nil {
		c.counted = map[paxos.NodeID]map[paxos.Slot]bool{}
	}
	if c.counted[id] == nil {
		c.counted[id] = map[paxos.Slot]bool{}
	}
	c.counted[id][made.ID.Handle.Slot] = true
	keep, files := max(c.cell.plan.Backups.Keep, 2), 0
	for _, f := range c.cell.world.Machine(sim.Addr(id)).Far().Mem().Files() {
		if !strings.HasSuffix(f.Name, ".snap") {
			continue
		}
		files++
		if own := fmt.Sprintf("/cell-%016x/", cell); !strings.Contains(f.Name, own) {
			c.cell.world.Break("S3", "replica %d has put a backup where those of other cells may stand: %s, not in %s", id, f.Name, own)
		}
	}
	if counted := len(c.counted[id]); files < min(keep, counted) {
		c.cell.world.Break("S3", "replica %d has %d backups at its place, %d have counted there, and the newest %d are to be kept", id, files, counted, keep)
	}
	if most := keep + len(made.Bad); files > most && made.Unpruned == nil {
		c.cell.world.Break("L2", "replica %d has %d backups at its place, bound %d", id, files, most)
	}
}

// backupOf reads the backup of a slot from the place of a replica, as an operator would
// who has only that; nil where there is none that is good, with the reason if there is
// one.
func (c *backupBook) backupOf(id paxos.NodeID, slot paxos.Slot) (*backup.Backup, error) {
	mem := c.cell.world.Machine(sim.Addr(id)).Far().Mem()
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

// newestBackup is the newest that counts, and a replica whose place has it; nil where
// none has.
func (c *backupBook) newestBackup() (paxos.NodeID, *backup.Backup) {
	for _, m := range c.cell.machines.Replicas {
		if b, _ := c.backupOf(paxos.NodeID(m.Addr()), c.newest); b != nil {
			return paxos.NodeID(m.Addr()), b
		}
	}
	return 0, nil
}

// writing is how long a place may take for a backup of the largest rows that a replica
// has: each chunk is written, and synced before the next.
func (c *backupBook) writing() time.Duration {
	bytes, far := int64(0), c.cell.plan.Far()
	for _, m := range c.cell.machines.Replicas {
		if r := running(m); r != nil && r.Host.Core() != nil {
			bytes = max(bytes, r.Host.Core().View().Bytes())
		}
	}
	chunks := time.Duration(bytes)/time.Duration(max(c.cell.plan.Backups.Chunk, 1<<10)) + 4 // beside the first and the last: header, sums
	slowest := func(t sim.Table) time.Duration { return slices.Max(append(t, 0)) }
	return chunks * (slowest(far.Read) + slowest(far.Write) + slowest(far.Sync))
}

// backsUp waits until one more backup is made (L1), where one is found until the next
// one: places work by now, and a master serves. The wait for the first note, the
// interval, its spread, and clocks that are slow come together; and one that was begun
// before, and is to be ended first.
func (c *seedRun) backsUp() {
	if c.plan.Far() == nil {
		return
	}
	before := c.backed.made
	limit := plan.RecoveryBound + 4*c.plan.Driver.BackupEvery + 2*c.backed.writing()
	for end := c.world.Now() + limit; c.backed.made == before; {
		if c.world.Now() > end {
			c.world.Break("L1", "%v after the last call no backup was made: %s", limit, c.roles())
			return
		}
		if !c.reached(c.world.RunFor(50 * time.Millisecond)) {
			return
		}
	}
}

// reborn makes a new cell of the newest backup and demands that it serves what the
// backup has, and gives out numbers above all that the old cell did (S2, S3).
func (c *seedRun) reborn() {
	if !c.plan.Backups.Reborn || c.backed.newest == 0 {
		return
	}
	_, b := c.backed.newestBackup()
	if b == nil {
		c.world.Break("S3", "the newest backup, of slot %d, is at no place any more", c.backed.newest)
		return
	}
	if r := restore.New(c.old(), b); r != nil {
		defer r.World.Close()
		r.Run()
		c.backed.reborn, c.backed.hash = true, r.World.Hash()
	}
}

// old is the cell as one that is made of its backup has it.
func (c *Cell) old() restore.Old {
	return restore.Old{Plan: &c.plan, World: c.world, Slot: c.backed.newest, Numbered: c.watch.Calls.Numbered, Epoch: c.watch.Epochs.Highest, Top: c.watch.Top}
}
