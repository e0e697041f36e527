package faults

import (
	"time"

	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/sim"
)

// Fade silences a client, and strikes the replica that is master shortly before the lease of the
// client's session is over. Commands that a master proposes by itself, under its epoch guard, thus
// meet a change of masters. Then the client comes back.
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

// nearEnd waits until a session has no more than margin left of its lease, by the clock of the
// replica that leads, or has ended.
func nearEnd(c *Faults, s api.SessionID, margin time.Duration, then func(ends bool)) {
	wait := 100 * time.Millisecond // if the rest of the lease is not known
	for _, x := range c.facts.LeasesLeft(s) {
		if x.Left <= margin+time.Millisecond {
			then(x.Alive)
			return
		}
		wait = min(x.Left-margin, time.Second)
	}
	c.later(wait, func() { nearEnd(c, s, margin, then) })
}
