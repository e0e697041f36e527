package cell

import (
	"time"

	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/sim"
)

// fade makes a client fall silent, and strikes shortly before its session's lease is
// over at the replica that is master then: what a master does by itself, and is guarded by its
// epoch as all else is, meets a change of masters. Then the client comes back.
func (c *Cell) fade(d *sim.Draw, strike func()) {
	m := c.clients[d.Int(len(c.clients))]
	s := c.promises.SessionOn(m.Addr())
	if s == 0 {
		return
	}
	var replicas []sim.Addr
	for _, r := range c.replicas {
		replicas = append(replicas, r.Addr())
	}
	c.world.Net().Partition([]sim.Addr{m.Addr()}, replicas)
	unite := c.untilFirst(2*c.sessions.Config.LeaseMax, func() { c.world.Net().Unite([]sim.Addr{m.Addr()}, replicas) })
	margin := d.Duration(0, max(c.plan.Driver.Core.Paxos.Lease.Grant, 100*time.Millisecond))
	c.nearEnd(s, margin, func(ends bool) {
		if ends {
			strike()
		}
		c.later(2*margin, unite)
	})
}

// nearEnd waits until a session has no more than that left of its lease, by the clock
// of the replica that leads, or has ended.
func (c *Cell) nearEnd(s api.SessionID, margin time.Duration, then func(ends bool)) {
	wait := 100 * time.Millisecond // while it is not known
	for id := range c.sessions.Seats {
		t := &c.sessions.Seats[id]
		if t.Of == nil || t.Epoch != c.watch.Epoch || !c.promises.Lives(id, t.Of) {
			continue
		}
		x, ok := t.Of.Session(s)
		left := x.Lease.Sub(running(c.replicas[id-1]).now)
		if left <= margin+time.Millisecond {
			then(ok)
			return
		}
		wait = min(left-margin, time.Second)
	}
	c.later(wait, func() { c.nearEnd(s, margin, then) })
}
