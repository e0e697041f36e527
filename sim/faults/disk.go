package faults

import (
	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/wal/vfs"
)

func diskSlow(c *Faults, d *sim.Draw) {
	m := anyReplica(c, d)
	m.Disk().Slow(d.LogUniform(2, 200))
	c.until(Outage(d), func() { m.Disk().Slow(1) })
}

// diskStall stalls one disk, or now and then all but a minority of them, as if they shared a
// building. Leases are then renewed, but no slot is decided.
func diskStall(c *Faults, d *sim.Draw) {
	if !d.Chance(1, 4) {
		anyReplica(c, d).Disk().Stall(Outage(d))
		return
	}
	long := Outage(d)
	for _, i := range d.Perm(len(c.replicas))[:(len(c.replicas)/2 + 1)] {
		c.replicas[i].Disk().Stall(long)
	}
}

// failOnce makes one of the next calls that match fail.
func failOnce(c *Faults, m *sim.Machine, d *sim.Draw, f func(vfs.Call) vfs.Fault) {
	skip := d.Int(4)
	mem := m.Disk().Mem()
	mem.SetFault(func(call vfs.Call) vfs.Fault {
		fault := f(call)
		if fault.Err == nil {
			return fault
		}
		if skip--; skip >= 0 {
			return vfs.Fault{}
		}
		mem.SetFault(nil)
		c.diskFaults++
		return fault
	})
	c.until(Outage(d), func() { mem.SetFault(nil) })
}

func diskSyncError(c *Faults, d *sim.Draw) {
	drop := d.Chance(3, 4)
	failOnce(c, anyReplica(c, d), d, func(call vfs.Call) vfs.Fault {
		if call.Op == vfs.OpSync || call.Op == vfs.OpSyncData || call.Op == vfs.OpSyncDir {
			return vfs.Fault{Err: vfs.ErrIO, Drop: drop}
		}
		return vfs.Fault{}
	})
}

func diskWriteError(c *Faults, d *sim.Draw) {
	failOnce(c, anyReplica(c, d), d, func(call vfs.Call) vfs.Fault {
		if call.Op.CanChange() && call.Op != vfs.OpSync && call.Op != vfs.OpSyncData && call.Op != vfs.OpSyncDir {
			return vfs.Fault{Err: vfs.ErrIO}
		}
		return vfs.Fault{}
	})
}

// diskFull makes the disk refuse all growth for a while.
func diskFull(c *Faults, d *sim.Draw) {
	mem := anyReplica(c, d).Disk().Mem()
	short := d.Chance(1, 2)
	mem.SetFault(func(call vfs.Call) vfs.Fault {
		switch call.Op {
		case vfs.OpCreate, vfs.OpPreallocate:
			return vfs.Fault{Err: vfs.ErrNoSpace}
		case vfs.OpWriteAt:
			if short {
				return vfs.Fault{Err: vfs.ErrNoSpace, Short: call.N / 2}
			}
		}
		return vfs.Fault{}
	})
	c.until(Outage(d), func() { mem.SetFault(nil) })
}
