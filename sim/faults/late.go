package faults

import (
	"bytes"
	"slices"
	"time"

	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/sim"
)

// unsynced is a replica whose disk makes nothing durable for a while, together with the messages
// that it sends meanwhile to its peers. None of these messages waits for a record of that time, and
// a power cut loses all those records: each message may arrive when its sender has forgotten why it
// sent it.
type unsynced struct {
	from sim.Addr
	sent []letter
}

// letter is a message between replicas.
type letter struct {
	to   sim.Addr
	wire []byte
}

// mostLetters bounds the messages kept of one replica; the oldest are dropped.
const mostLetters = 64

// keep keeps a copy of a message, unless the same bytes went to the same replica before.
func (u *unsynced) keep(to sim.Addr, wire []byte) {
	same := func(l letter) bool { return l.to == to && bytes.Equal(l.wire, wire) }
	if to.IsClient() || slices.ContainsFunc(u.sent, same) {
		return
	}
	if len(u.sent) == mostLetters {
		u.sent = slices.Delete(u.sent, 0, 1)
	}
	u.sent = append(u.sent, letter{to, bytes.Clone(wire)})
}

// late delivers messages of a replica after a power cut that it sent before. Nothing that the
// replica writes becomes durable for a while. In that time it campaigns, may lead by the promises
// of others, and may step down; then it loses power. It starts again and uses the ballot that it
// has forgotten. When it leads at that ballot, the old messages arrive.
func late(c *Faults, d *sim.Draw) {
	m := anyReplica(c, d)
	if n := c.cluster.Core(m); n == nil {
		return
	}
	round := 4*c.plan.Link.Delay[0] + 2*c.plan.Disk.Sync[0] // of messages, with others' disks
	window := d.Duration(2*round, 12*round)
	u := &unsynced{from: m.Addr()}
	c.unsynced = append(c.unsynced, u)
	m.Disk().Stall(window)
	if l := c.leader(d); l != nil && d.Chance(3, 4) {
		c.cluster.Resign(l)
	}
	c.later(d.Duration(0, round), func() { c.cluster.Campaign(m) })
	if d.Chance(3, 4) {
		c.later(d.Duration(round, window), func() { c.cluster.Resign(m) })
	}
	c.later(window-d.Duration(1, round/2), func() {
		c.unsynced = slices.DeleteFunc(c.unsynced, func(x *unsynced) bool { return x == u })
		forgetRecords(c, m, u, d)
	})
}

// forgetRecords cuts the power of the replica, and half of the time the power of all others too.
// The others then have the same restart hold-off, and no other candidate uses a higher ballot
// meanwhile.
func forgetRecords(c *Faults, m *sim.Machine, u *unsynced, d *sim.Draw) {
	all := d.Chance(1, 2)
	for _, o := range c.replicas {
		if !o.Up() || o != m && !all {
			continue
		}
		c.cluster.Retire(o)
		o.Crash()
		o.StartAfter(d.Duration(0, 20*time.Millisecond))
	}
	until := c.world.Now() + c.plan.Driver.Core.Paxos.Lease.Grant*3/2 + Outage(d)
	c.later(10*time.Millisecond, func() { leadAgain(c, m, u, d, until) })
}

// leadAgain makes a replica campaign as soon as possible, and waits until it leads, with a lease if
// there are leases, or until time is up. Then it delivers the old messages.
func leadAgain(c *Faults, m *sim.Machine, u *unsynced, d *sim.Draw, until time.Duration) {
	if n := c.cluster.Core(m); n != nil && c.world.Now() < until {
		switch s := n.Status(); {
		case s.Role == paxos.Leader && (c.plan.Driver.Core.Paxos.Lease.Grant <= 0 || n.Lease().After(c.cluster.Reading(m))):
			deliver(c, u, d)
			return
		case s.Role == paxos.Follower && s.Leader == 0:
			c.cluster.Campaign(m)
		}
	}
	if c.world.Now() >= until {
		deliver(c, u, d)
		return
	}
	c.later(5*time.Millisecond, func() { leadAgain(c, m, u, d, until) })
}

// deliver delivers the old messages, at one moment or spread out.
func deliver(c *Faults, u *unsynced, d *sim.Draw) {
	spread := 2 * c.plan.Link.Delay[0]
	if d.Chance(1, 3) {
		spread = Outage(d)
	}
	for _, l := range u.sent {
		c.later(d.Duration(0, spread), func() { c.world.Net().Link(u.from, l.to).Echo(l.wire) })
	}
}
