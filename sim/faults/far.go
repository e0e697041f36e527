package faults

import (
	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/wal/vfs"
)

// SpoilFar makes the far disk of a replica fail now and then, until healing: it is full, refuses
// writes, or loses what it should sync.
func (c *Faults) SpoilFar(m *sim.Machine) {
	if m.Far() == nil {
		return
	}
	d := c.world.Draw("cell.far", uint64(m.Addr()))
	m.Far().Mem().SetFault(func(call vfs.Call) vfs.Fault {
		if c.healed || call.Op == vfs.OpClose || !d.Chance(c.plan.Backups.Fails, 1000) {
			return vfs.Fault{}
		}
		if d.Chance(1, 2) {
			return vfs.Fault{Err: vfs.ErrNoSpace, Short: call.N / 2}
		}
		return vfs.Fault{Err: vfs.ErrIO, Drop: true}
	})
}
