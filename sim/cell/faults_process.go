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
	if r := running(m); r != nil {
		c.retire(r)
	}
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
	c.until(outage(d), func() { m.CrashAt("", 0) })
}

func crashAll(c *Cell, d *sim.Draw) {
	for _, m := range c.replicas {
		c.later(d.Duration(0, 20*time.Millisecond), func() { c.cutPower(m, d) })
	}
}

func kill(c *Cell, d *sim.Draw) {
	if m := c.anyReplica(d); m.Up() {
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
	tell(m, func(r *replica, now time.Time) { r.host.Resign(now) })
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
