package faults

import (
	"time"

	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/plan"
)

func clockRate(c *Faults, d *sim.Draw) {
	setRate(c, anyMachine(c, d), plan.ClockRate(c.plan.RatePPB, d))
}

func setRate(c *Faults, m *sim.Machine, ppb int64) {
	m.Clock().SetRate(ppb)
	if !m.Addr().IsClient() {
		c.facts.OnRateSet(paxos.NodeID(m.Addr()))
	}
}

func clockStep(c *Faults, d *sim.Draw) {
	anyMachine(c, d).Clock().StepWall(d.Duration(-time.Hour, time.Hour))
}

// clockFreeze stops both clocks of a client whose session has no lease, and otherwise only the wall
// clock. Leases of masters and of sessions rest on the bound of the monotonic clock's rate, and a
// clock that stands still is outside any bound. The effect of a broken bound is an experiment
// (LeaseOptions.Error), not a fault to survive.
func clockFreeze(c *Faults, d *sim.Draw) {
	if m := anyMachine(c, d); m.Addr().IsClient() && c.plan.Driver.Core.Sessions.LeaseMin == 0 {
		m.Clock().Freeze(Outage(d))
	} else {
		m.Clock().FreezeWall(Outage(d))
	}
}

// leaseEdge aims at the margin between a master's lease and its replicas' promises. The leader's
// clock is as slow, and the other replicas' clocks are as fast, as they may be. The others are cut
// off from the leader while its clients are not, and one of them wants to lead.
func leaseEdge(c *Faults, d *sim.Draw) {
	c.aim(d, func() {
		leader := c.leader(d)
		if leader == nil {
			return
		}
		for _, m := range c.replicas {
			if m == leader {
				setRate(c, m, -c.plan.RatePPB)
			} else {
				setRate(c, m, c.plan.RatePPB)
			}
		}
		groups := alone(c, leader)
		c.world.Net().Partition(groups...)
		c.until(Outage(d), func() { c.world.Net().Unite(groups...) })
		rival := anyReplica(c, d)
		c.later(d.Duration(0, c.plan.Driver.Core.Paxos.Lease.Grant), func() {
			c.cluster.Campaign(rival)
		})
	})
}

func anyMachine(c *Faults, d *sim.Draw) *sim.Machine {
	if k := d.Int(len(c.replicas) + len(c.clients)); k < len(c.replicas) {
		return c.replicas[k]
	} else {
		return c.clients[k-len(c.replicas)]
	}
}
