package cell

import (
	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/sim"
)

// absentees takes away all replicas but a quorum, in every third seed: a quorum
// is enough for progress. Damaged replicas go first, as the atlas demands. In some
// other seeds it takes away links. It returns what brings all back.
func (c *seedRun) absentees() (back func()) {
	d := c.world.Draw("cell.absentees", 0)
	if c.plan.Steady || c.watch.Budget.Most == 0 || d.Chance(1, 2) {
		return func() {}
	}
	if hub := c.faults.Replica(d); d.Chance(1, 3) && c.bears(hub) {
		return c.star(hub)
	}
	gone := c.missing(d)
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

// bears says that a replica can be the hub of a star: its disk was never damaged. And
// there must be leases: without them, two that do not hear each other depose each
// other by way of the hub, without end.
func (c *seedRun) bears(hub *sim.Machine) bool {
	return c.plan.Driver.Core.Paxos.Lease.Grant > 0 && !c.watch.Budget.IsHurt(paxos.NodeID(hub.Addr()))
}

// star cuts all links between replicas but those of one, the hub: it hears a quorum,
// and that is enough for progress, be the others heard of by few or none. A
// replica that hears the hub alone need not learn all, unless it leads.
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
		c.stars++ // it has served
		c.away = nil
		c.world.Net().Unite(points...)
	}
}

// missing picks up to f replicas to be away: of those that were never damaged, no
// more than the damaged ones leave of f.
func (c *seedRun) missing(d *sim.Draw) (gone []*sim.Machine) {
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
