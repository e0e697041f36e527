package cell

import (
	"time"

	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/sim"
)

func clockRate(c *Cell, d *sim.Draw) { c.setRate(c.anyMachine(d), c.rate(d)) }

// rate is an error that a clock may have: often as large as it may be, because
// what is wrong by a little shows only there.
func (c *Cell) rate(d *sim.Draw) int64 {
	switch most := c.plan.RatePPB; d.Int(4) {
	case 0:
		return most
	case 1:
		return -most
	default:
		return d.Between(-most, most)
	}
}

func (c *Cell) setRate(m *sim.Machine, ppb int64) {
	m.Clock().SetRate(ppb)
	if !m.Addr().IsClient() {
		c.leases.Turned(paxos.NodeID(m.Addr()))
	}
}

func clockStep(c *Cell, d *sim.Draw) {
	c.anyMachine(d).Clock().StepWall(d.Duration(-time.Hour, time.Hour))
}

// clockFreeze stops a whole clock of a client whose session has no lease, and else
// the wall clock alone: leases of masters and of sessions rest on the bound of the
// monotonic clock's rate, and one that stands still is outside of any bound. What a broken bound does is an experiment
// (LeaseOptions.Error), not a fault to survive.
func clockFreeze(c *Cell, d *sim.Draw) {
	if m := c.anyMachine(d); m.Addr().IsClient() && c.plan.Driver.Core.Sessions.LeaseMin == 0 {
		m.Clock().Freeze(outage(d))
	} else {
		m.Clock().FreezeWall(outage(d))
	}
}

// leaseEdge aims at the margin between a master's lease and its replicas' word:
// the leader's clock is as slow and theirs are as fast as they may be, they are
// cut off from it while its clients are not, and one of them wants to lead.
func leaseEdge(c *Cell, d *sim.Draw) {
	c.aim(d, func() {
		leader := c.leader(d)
		if leader == nil {
			return
		}
		for _, m := range c.replicas {
			if m == leader {
				c.setRate(m, -c.plan.RatePPB)
			} else {
				c.setRate(m, c.plan.RatePPB)
			}
		}
		groups := c.alone(leader)
		c.world.Net().Partition(groups...)
		c.until(outage(d), func() { c.world.Net().Unite(groups...) })
		rival := c.anyReplica(d)
		c.later(d.Duration(0, c.plan.Driver.Core.Paxos.Lease.Grant), func() {
			tell(rival, func(r *replica, now time.Time) { r.host.Campaign(now) })
		})
	})
}

func (c *Cell) anyMachine(d *sim.Draw) *sim.Machine {
	if k := d.Int(len(c.replicas) + len(c.clients)); k < len(c.replicas) {
		return c.replicas[k]
	} else {
		return c.clients[k-len(c.replicas)]
	}
}
