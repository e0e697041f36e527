package cell

import (
	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/sim"
)

// removeReplicas takes away up to f replicas in some seeds, because a quorum is enough for
// progress. The damage budget decides which: replicas with damaged disks count against f. In some
// other seeds it takes away links instead. It returns a function that undoes it.
func (c *seedRun) removeReplicas() (back func()) {
	d := c.world.Draw("cell.absentees", 0)
	if c.plan.Steady || c.watch.Budget.Most == 0 || d.Chance(1, 2) {
		return func() {}
	}
	if hub := c.faults.Replica(d); d.Chance(1, 3) && c.canBeHub(hub) {
		return c.star(hub)
	}
	gone := c.pickMissing(d)
	c.away = gone
	off := d.Chance(1, 2)
	for _, m := range gone {
		if off {
			c.retire(running(m))
			m.Crash()
		} else {
			c.world.Net().Isolate(m.Addr())
		}
	}
	return func() {
		c.away = nil
		for _, m := range gone {
			if off {
				m.Start()
			} else {
				c.world.Net().Rejoin(m.Addr())
			}
		}
	}
}

// canBeHub reports whether a replica can be the hub of a star: its disk was never damaged, and the
// cell has leases. Without leases, two replicas that cannot hear each other would depose each other
// through the hub without end.
func (c *seedRun) canBeHub(hub *sim.Machine) bool {
	return c.plan.Driver.Core.Paxos.Lease.Grant > 0 && !c.watch.Budget.IsHurt(paxos.NodeID(hub.Addr()))
}

// star cuts all links between replicas except those of the hub. The hub hears a quorum, and that is
// enough for progress. A replica that hears only the hub need not learn every slot, unless it
// leads.
func (c *seedRun) star(hub *sim.Machine) (back func()) {
	var points [][]sim.Addr
	for _, m := range c.machines.Replicas {
		if m != hub {
			points = append(points, []sim.Addr{m.Addr()})
			c.away = append(c.away, m)
		}
	}
	c.world.Net().Partition(points...)
	return func() {
		c.stars++ // all programs have ended, so the cell has served
		c.away = nil
		c.world.Net().Unite(points...)
	}
}

// pickMissing picks up to f replicas to take away. Replicas with damaged disks count against f even
// if they stay, so it picks at most f minus their number of the undamaged ones.
func (c *seedRun) pickMissing(d *sim.Draw) (gone []*sim.Machine) {
	a := c.watch.Budget
	most, spare := 1+d.Int(a.Most), a.Spare()
	for _, i := range d.Perm(len(c.machines.Replicas)) {
		hurt := a.IsHurt(paxos.NodeID(i + 1))
		if len(gone) == most || !hurt && spare == 0 {
			continue
		}
		gone = append(gone, c.machines.Replicas[i])
		if !hurt {
			spare--
		}
	}
	return gone
}
