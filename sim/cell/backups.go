package cell

import (
	"slices"
	"time"

	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/plan"
	"github.com/chubbycell/chubby/sim/restore"
)

// placeLimit returns the longest time that a place takes to write a backup of the largest rows of
// any replica, or of the largest of which a backup has begun: it may be under way. Each chunk is
// written and synced before the next.
func (c *seedRun) placeLimit() time.Duration {
	bytes, far := c.backups.Largest, c.plan.Far()
	for _, m := range c.machines.Replicas {
		if r := running(m); r != nil && r.Host.Core() != nil {
			bytes = max(bytes, r.Host.Core().View().Bytes())
		}
	}
	chunks := time.Duration(bytes)/time.Duration(max(c.plan.Backups.Chunk, 1<<10)) + 4 // and the header, the sums, and the first and the last chunk
	slowest := func(t sim.Table) time.Duration { return slices.Max(append(t, 0)) }
	return chunks * (slowest(far.Read) + slowest(far.Write) + slowest(far.Sync))
}

// awaitBackup waits until one more backup is made (L1): places work by now, and a master serves.
// The limit allows for the interval and its spread, for the master's wait before the first backup,
// for slow clocks, and for a backup that was under way and must end first.
func (c *seedRun) awaitBackup() {
	if c.plan.Far() == nil {
		return
	}
	before := c.backups.Made
	limit := plan.RecoveryBound + 4*c.plan.Driver.BackupEvery + 2*c.placeLimit()
	for end := c.world.Now() + limit; c.backups.Made == before; {
		if c.world.Now() > end {
			c.world.Break("L1", "%v after the last call no backup was made: %s", limit, c.roles())
			return
		}
		if !c.reached(c.world.RunFor(50 * time.Millisecond)) {
			return
		}
	}
}

// restoreBackup makes a new cell of the newest backup. The new cell must serve what the backup has,
// and must give out numbers above all that the old cell gave out (S2, S3).
func (c *seedRun) restoreBackup() {
	if !c.plan.Backups.Reborn || c.backups.Newest == 0 {
		return
	}
	_, b := c.backups.Latest()
	if b == nil {
		c.world.Break("S3", "the newest backup, of slot %d, is at no place any more", c.backups.Newest)
		return
	}
	if r := restore.New(c.old(), b); r != nil {
		defer r.World.Close()
		r.Run()
		c.reborn, c.rebornHash = true, r.World.Hash()
	}
}

// old describes this cell to the checks of a cell that is made of its backup.
func (c *Cell) old() restore.Old {
	return restore.Old{Plan: &c.plan, World: c.world, Slot: c.backups.Newest, Numbered: c.watch.Calls.Numbered, Epoch: c.watch.Epochs.Highest, Top: c.watch.Top}
}
