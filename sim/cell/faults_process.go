package cell

import (
	"time"

	"github.com/chubbycell/chubby/sim"
)

// back starts a machine again after an outage.
func (c *Cell) back(m *sim.Machine, d *sim.Draw) { m.StartAfter(outage(d)) }

func crash(c *Cell, d *sim.Draw) { c.cutPower(c.anyReplica(d), d) }

func (c *Cell) cutPower(m *sim.Machine, d *sim.Draw) {
	if m == nil || !m.Up() {
		return
	}
	c.retire(running(m))
	m.Crash()
	c.back(m, d)
}

func crashLeader(c *Cell, d *sim.Draw) {
	c.aim(d, func() { c.cutPower(c.leader(d), d) })
}

// steps are the calls to the disk that a replica makes while it works.
var steps = []string{"disk.writeat", "disk.syncdata", "disk.sync", "disk.syncdir", "disk.create", "disk.truncate", "disk.preallocate"}

func crashMidstep(c *Cell, d *sim.Draw) {
	m, step := c.anyReplica(d), steps[d.Int(len(steps))]
	m.CrashAt(step, outage(d))
	if d.Chance(1, 3) {
		c.crashAgain(m, d)
	}
	c.until(outage(d), func() { m.CrashAt("", 0) })
}

// crashAgain lets a replica that has just come back lose power again, a few times in
// a row: what one life left on the disk is no longer than what the next one writes.
func (c *Cell) crashAgain(m *sim.Machine, d *sim.Draw) {
	at := time.Duration(0)
	for range 2 + d.Int(6) {
		at += time.Duration(d.LogUniform(int64(5*time.Millisecond), int64(500*time.Millisecond)))
		c.later(at, func() { m.CrashAt(steps[d.Int(len(steps))], d.Duration(time.Millisecond, 50*time.Millisecond)) })
	}
	c.until(at+outage(d), func() { m.CrashAt("", 0) })
}

func crashAll(c *Cell, d *sim.Draw) {
	for _, m := range c.replicas {
		c.later(d.Duration(0, 20*time.Millisecond), func() { c.cutPower(m, d) })
	}
}

func kill(c *Cell, d *sim.Draw) { c.killed(c.anyReplica(d), d) }

// killed ends a replica's process, which starts again after an outage.
func (c *Cell) killed(m *sim.Machine, d *sim.Draw) {
	if m != nil && m.Up() {
		c.retire(running(m))
		m.Kill()
		c.back(m, d)
	}
}

// burst does something a few times, at intervals from a message's delay to an
// election's length.
func (c *Cell) burst(d *sim.Draw, f func()) {
	gap := time.Duration(d.LogUniform(int64(c.plan.Link.Delay[0]), int64(time.Second)))
	at := time.Duration(0)
	for range 1 + d.Int(6) {
		c.later(at, f)
		at += d.Duration(gap/2, 2*gap)
	}
}

// tell hands an input to a replica's process, as if an operator had asked.
func tell(m *sim.Machine, f func(r *replica, now time.Time)) {
	if r := running(m); r != nil && r.env != nil { // it may be paused before its first input
		r.env.Post(func(now time.Time) {
			now = r.reads(now)
			f(r, now)
			r.act()
		})
	}
}

func depose(c *Cell, d *sim.Draw) {
	c.burst(d, func() {
		c.aim(d, func() { c.resign(c.leader(d), d) })
	})
}

func (c *Cell) resign(m *sim.Machine, d *sim.Draw) {
	if m == nil {
		return
	}
	tell(m, func(r *replica, now time.Time) {
		c.rare.steppingDown(r.id, r.host.Core() != nil && r.host.Core().Serving() != nil)
		r.host.Resign(now)
	})
	if d.Chance(1, 2) { // and wants to lead again while old answers are on their way
		c.later(d.Duration(0, 2*c.plan.Link.Delay[0]), func() {
			tell(m, func(r *replica, now time.Time) { r.host.Campaign(now) })
		})
	}
}

func duel(c *Cell, d *sim.Draw) {
	c.burst(d, func() {
		tell(c.anyReplica(d), func(r *replica, now time.Time) { r.host.Campaign(now) })
	})
}

// rebirth lets answers to one life meet the next. A candidate asks for promises,
// whose answers are held back, and loses power before its own promise is on its
// disk: it comes back, knows nothing of that ballot, and uses it again.
func rebirth(c *Cell, d *sim.Draw) {
	m := c.anyReplica(d)
	if !m.Up() || m == c.leader(d) {
		return
	}
	var release []func()
	for _, o := range c.replicas {
		if o == m || d.Chance(1, 3) {
			continue
		}
		l := c.world.Net().Link(o.Addr(), m.Addr())
		l.Clog()
		release = append(release, c.untilFirst(outage(d), l.Release))
	}
	tell(m, func(r *replica, now time.Time) { r.host.Campaign(now) })
	c.later(d.Duration(0, c.plan.Disk.Sync[0]), func() {
		if r := running(m); r != nil && m.Up() {
			c.retire(r)
			m.Crash()
			m.StartAfter(d.Duration(0, 20*time.Millisecond))
			c.rise(m, d, release)
		}
	})
}

// rise waits until a replica has recovered, lets it campaign, and lets go what is
// held back.
func (c *Cell) rise(m *sim.Machine, d *sim.Draw, release []func()) {
	c.later(time.Millisecond, func() {
		if r := running(m); r == nil || r.host.Core() == nil {
			c.rise(m, d, release)
			return
		}
		tell(m, func(r *replica, now time.Time) { r.host.Campaign(now) })
		c.later(d.Duration(0, 2*c.plan.Link.Delay[0]), func() {
			for _, f := range release {
				f()
			}
		})
	})
}

func pause(c *Cell, d *sim.Draw) { c.anyReplica(d).PauseFor(outage(d)) }

func pauseLeader(c *Cell, d *sim.Draw) {
	c.aim(d, func() {
		if m := c.leader(d); m != nil {
			m.PauseFor(outage(d))
		}
	})
}

func pauseMidstep(c *Cell, d *sim.Draw) { c.anyReplica(d).PauseAfterReading(outage(d)) }

func slowNode(c *Cell, d *sim.Draw) {
	m := c.anyReplica(d)
	m.Slow(time.Duration(d.LogUniform(int64(50*time.Microsecond), int64(5*time.Millisecond))))
	c.until(outage(d), func() { m.Slow(0) })
}

func clientPause(c *Cell, d *sim.Draw) { c.clients[d.Int(len(c.clients))].PauseFor(outage(d)) }

func clientCrash(c *Cell, d *sim.Draw) {
	if m := c.clients[d.Int(len(c.clients))]; m.Up() {
		m.Crash()
		c.back(m, d)
	}
}
