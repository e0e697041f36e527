package cell

import (
	"slices"
	"time"

	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/plan"
	"github.com/chubbycell/chubby/sim/restore"
)

// placing is how long a place may take for a backup of the largest rows that a replica
// has: each chunk is written, and synced before the next.
func (c *seedRun) placing() time.Duration {
	bytes, far := int64(0), c.plan.Far()
	for _, m := range c.machines.Replicas {
		if r := running(m); r != nil && r.Host.Core() != nil {
			bytes = max(bytes, r.Host.Core().View().Bytes())
		}
	}
	chunks := time.Duration(bytes)/time.Duration(max(c.plan.Backups.Chunk, 1<<10)) + 4 // beside the first and the last: header, sums
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
	before := c.backups.Made
	limit := plan.RecoveryBound + 4*c.plan.Driver.BackupEvery + 2*c.placing()
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

// restores makes a new cell of the newest backup and demands that it serves what the
// backup has, and gives out numbers above all that the old cell did (S2, S3).
func (c *seedRun) restores() {
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

// old is the cell as one that is made of its backup has it.
func (c *Cell) old() restore.Old {
	return restore.Old{Plan: &c.plan, World: c.world, Slot: c.backups.Newest, Numbered: c.watch.Calls.Numbered, Epoch: c.watch.Epochs.Highest, Top: c.watch.Top}
}
