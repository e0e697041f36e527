package faults

import (
	"time"

	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/sim"
)

// Fade makes a client fall silent, and strikes shortly before its session's lease is
// over at the replica that is master then: what a master does by itself, and is guarded by its
// epoch as all else is, meets a change of masters. Then the client comes back.
func Fade(c *Faults, d *sim.Draw, strike func()) {
	m := c.clients[d.Int(len(c.clients))]
	s := c.facts.SessionOn(m.Addr())
	if s == 0 {
		return
	}
	var replicas []sim.Addr
	for _, r := range c.replicas {
		replicas = append(replicas, r.Addr())
	}
	c.world.Net().Partition([]sim.Addr{m.Addr()}, replicas)
	unite := c.untilFirst(2*c.plan.Driver.Core.Sessions.LeaseMax, func() { c.world.Net().Unite([]sim.Addr{m.Addr()}, replicas) })
	margin := d.Duration(0, max(c.plan.Driver.Core.Paxos.Lease.Grant, 100*time.Millisecond))
	nearEnd(c, s, margin, func(ends bool) {
		if ends {
			strike()
		}
		c.later(2*margin, unite)
	})
}

// nearEnd waits until a session has no more than that left of its lease, by the clock
// of the replica that leads, or has ended.
func nearEnd(c *Faults, s api.SessionID, margin time.Duration, then func(ends bool)) {
	wait := 100 * time.Millisecond // while it is not known
	for _, x := range c.facts.LeasesLeft(s) {
		if x.Left <= margin+time.Millisecond {
			then(x.Alive)
			return
		}
		wait = min(x.Left-margin, time.Second)
	}
	c.later(wait, func() { nearEnd(c, s, margin, then) })
}
