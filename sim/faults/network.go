package faults

import (
	"slices"
	"time"

	"github.com/chubbycell/chubby/sim"
)

// split deals addresses into n groups, none of them empty if possible.
func split(addrs []sim.Addr, n int, d *sim.Draw) [][]sim.Addr {
	groups := make([][]sim.Addr, n)
	for i, k := range d.Perm(len(addrs)) {
		g := i
		if i >= n {
			g = d.Int(n)
		}
		groups[g] = append(groups[g], addrs[k])
	}
	return groups
}

func partition(c *Faults, d *sim.Draw) {
	addrs := addrs(c)
	if d.Chance(1, 2) {
		addrs = addrs[:len(c.replicas)] // clients reach all of them
	}
	groups := split(addrs, 2+d.Int(2), d)
	c.world.Net().Partition(groups...)
	c.until(Outage(d), func() { c.world.Net().Unite(groups...) })
}

func isolateLeader(c *Faults, d *sim.Draw) {
	c.aim(d, func() { isolate(c, c.leader(d), d) })
}

func isolate(c *Faults, m *sim.Machine, d *sim.Draw) {
	if m == nil {
		return
	}
	if d.Chance(1, 2) {
		c.world.Net().Isolate(m.Addr())
		c.until(Outage(d), func() { c.world.Net().Rejoin(m.Addr()) })
		return
	}
	groups := alone(c, m) // its clients must not receive old news
	c.world.Net().Partition(groups...)
	c.until(Outage(d), func() { c.world.Net().Unite(groups...) })
}

// alone separates a replica from the others; all clients still reach it.
func alone(c *Faults, m *sim.Machine) [][]sim.Addr {
	var others []sim.Addr
	for _, o := range c.replicas {
		if o != m {
			others = append(others, o.Addr())
		}
	}
	return [][]sim.Addr{{m.Addr()}, others}
}

func bridge(c *Faults, d *sim.Draw) {
	addrs := addrs(c)[:len(c.replicas)]
	order := d.Perm(len(addrs))
	var sides [2][]sim.Addr
	for i, k := range order[1:] { // order[0] is the bridge
		sides[i%2] = append(sides[i%2], addrs[k])
	}
	c.world.Net().Partition(sides[0], sides[1])
	c.until(Outage(d), func() { c.world.Net().Unite(sides[0], sides[1]) })
}

// someLinks draws directed links, mostly between replicas.
func someLinks(c *Faults, d *sim.Draw) []*sim.Link {
	addrs := addrs(c)
	var links []*sim.Link
	for range 1 + d.Int(len(c.replicas)) {
		from := addrs[d.Int(len(c.replicas))]
		to := addrs[d.Int(len(addrs))]
		if d.Chance(1, 2) {
			from, to = to, from
		}
		if from != to {
			links = append(links, c.world.Net().Link(from, to))
		}
	}
	return links
}

func oneWay(c *Faults, d *sim.Draw) {
	for _, l := range someLinks(c, d) {
		l.Cut()
		c.until(Outage(d), l.Mend)
	}
}

func clog(c *Faults, d *sim.Draw) {
	for _, l := range someLinks(c, d) {
		l.Clog()
		c.until(Outage(d), l.Release)
	}
}

// clogTenure lets old messages meet a new tenure. Some links from or to the leader hold everything
// back, and the leader is made to step down, perhaps to come back. When a replica begins to lead,
// the links release their messages.
func clogTenure(c *Faults, d *sim.Draw) {
	m := c.leader(d)
	if m == nil {
		return
	}
	for _, o := range c.replicas {
		if o == m || d.Chance(1, 2) {
			continue
		}
		l := c.world.Net().Link(o.Addr(), m.Addr())
		if d.Chance(1, 3) {
			l = c.world.Net().Link(m.Addr(), o.Addr())
		}
		l.Clog()
		release := c.untilFirst(Outage(d), l.Release)
		delay := d.Duration(0, 3*c.plan.Link.Delay[0])
		c.onTenure = append(c.onTenure, func() { c.world.After(delay, release) })
	}
	c.aim(d, func() { resign(c, m, d) })
}

// succession makes one replica lead, lose the lead and lead again, with another leader in between.
// Requests of clients from its first tenure, and its own plans from then, meet the epoch of its
// last tenure, or of the one in between.
func succession(c *Faults, d *sim.Draw) {
	aim := c.aim
	if d.Chance(1, 2) && c.facts.HasSessionLeases() {
		aim = func(d *sim.Draw, strike func()) { Fade(c, d, strike) }
	}
	aim(d, func() {
		first := c.leader(d)
		if first == nil {
			return
		}
		groups := alone(c, first)
		c.world.Net().Partition(groups...)
		unite := c.untilFirst(Outage(d), func() { c.world.Net().Unite(groups...) })
		delay := d.Duration(0, 4*c.plan.Link.Delay[0])
		c.onTenure = append(c.onTenure, c.kept(func() {
			c.later(delay, func() {
				unite()
				succeed(c, first, d)
			})
		}))
	})
}

// succeed makes all leaders except first step down, and some replica campaign.
func succeed(c *Faults, first *sim.Machine, d *sim.Draw) {
	for _, m := range c.replicas {
		if n := c.cluster.Core(m); m != first && n != nil && n.IsLeader() {
			c.cluster.Resign(m)
		}
	}
	next := anyReplica(c, d)
	if d.Chance(1, 2) {
		next = first
	}
	c.cluster.Campaign(next)
}

// OnTenure is called when a replica begins to lead.
func (c *Faults) OnTenure() {
	waiting := c.onTenure
	c.onTenure = nil
	for _, f := range waiting {
		f()
	}
}

func slowLink(c *Faults, d *sim.Draw) {
	for _, l := range someLinks(c, d) {
		l.Slow(d.LogUniform(2, 300))
		c.until(Outage(d), func() { l.Slow(1) })
	}
}

// noise makes every link bad for a while, each link by its own draws.
func noise(c *Faults, d *sim.Draw) {
	loss, dup, reorder := uint32(d.N(200_000)), uint32(d.N(200_000)), uint32(d.N(300_000))
	late := sim.Table{0, time.Millisecond, 10 * time.Millisecond, Outage(d), Outage(d)}
	slices.Sort(late)
	noisy := c.plan.Link
	noisy.Loss, noisy.Duplicate, noisy.Reorder, noisy.Late = loss, dup, reorder, late
	c.world.Net().SetDefault(noisy)
	c.until(Outage(d), func() { c.world.Net().SetDefault(c.plan.Link) })
}

// disconnect breaks the connections of some clients to one replica, often the leader.
func disconnect(c *Faults, d *sim.Draw) {
	m := anyReplica(c, d)
	if l := c.leader(d); l != nil && d.Chance(2, 3) {
		m = l
	}
	for _, client := range c.clients {
		if d.Chance(1, 2) {
			c.world.Net().Link(client.Addr(), m.Addr()).Break()
		}
	}
}

func clientCut(c *Faults, d *sim.Draw) {
	client := c.clients[d.Int(len(c.clients))].Addr()
	var some []sim.Addr
	for _, m := range c.replicas {
		if d.Chance(1, 2) {
			some = append(some, m.Addr())
		}
	}
	if len(some) == 0 {
		return
	}
	groups := [][]sim.Addr{{client}, some}
	c.world.Net().Partition(groups...)
	c.until(Outage(d), func() { c.world.Net().Unite(groups...) })
}
