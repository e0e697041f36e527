package faults

import (
	"time"

	"github.com/chubbycell/chubby/sim"
)

// back starts a machine again after an outage.
func back(c *Faults, m *sim.Machine, d *sim.Draw) { m.StartAfter(Outage(d)) }

func crash(c *Faults, d *sim.Draw) { cutPower(c, anyReplica(c, d), d) }

func cutPower(c *Faults, m *sim.Machine, d *sim.Draw) {
	if m == nil || !m.Up() {
		return
	}
	c.cluster.Retire(m)
	m.Crash()
	back(c, m, d)
}

func crashLeader(c *Faults, d *sim.Draw) {
	c.aim(d, func() { cutPower(c, c.leader(d), d) })
}

// steps are the disk calls of a working replica.
var steps = []string{"disk.writeat", "disk.syncdata", "disk.sync", "disk.syncdir", "disk.create", "disk.truncate", "disk.preallocate"}

func crashMidstep(c *Faults, d *sim.Draw) {
	m, step := anyReplica(c, d), steps[d.Int(len(steps))]
	m.CrashAt(step, Outage(d))
	if d.Chance(1, 3) {
		crashAgain(c, m, d)
	}
	c.until(Outage(d), func() { m.CrashAt("", 0) })
}

// crashAgain cuts the power of a replica that has just come back, a few times in a row, so that what
// one life leaves on the disk is no longer than what the next one writes.
func crashAgain(c *Faults, m *sim.Machine, d *sim.Draw) {
	at := time.Duration(0)
	for range 2 + d.Int(6) {
		at += time.Duration(d.LogUniform(int64(5*time.Millisecond), int64(500*time.Millisecond)))
		c.later(at, func() { m.CrashAt(steps[d.Int(len(steps))], d.Duration(time.Millisecond, 50*time.Millisecond)) })
	}
	c.until(at+Outage(d), func() { m.CrashAt("", 0) })
}

func crashAll(c *Faults, d *sim.Draw) {
	for _, m := range c.replicas {
		c.later(d.Duration(0, 20*time.Millisecond), func() { cutPower(c, m, d) })
	}
}

func kill(c *Faults, d *sim.Draw) { killed(c, anyReplica(c, d), d) }

// killed ends a replica's process, which starts again after an outage.
func killed(c *Faults, m *sim.Machine, d *sim.Draw) {
	if m != nil && m.Up() {
		c.cluster.Retire(m)
		m.Kill()
		back(c, m, d)
	}
}

// burst does something a few times, at intervals from a message's delay to an election's length.
func burst(c *Faults, d *sim.Draw, f func()) {
	gap := time.Duration(d.LogUniform(int64(c.plan.Link.Delay[0]), int64(time.Second)))
	at := time.Duration(0)
	for range 1 + d.Int(6) {
		c.later(at, f)
		at += d.Duration(gap/2, 2*gap)
	}
}

func depose(c *Faults, d *sim.Draw) {
	burst(c, d, func() {
		c.aim(d, func() { resign(c, c.leader(d), d) })
	})
}

func resign(c *Faults, m *sim.Machine, d *sim.Draw) {
	if m == nil {
		return
	}
	c.cluster.StepDown(m)
	if d.Chance(1, 2) { // and wants to lead again while old answers are on their way
		c.later(d.Duration(0, 2*c.plan.Link.Delay[0]), func() {
			c.cluster.Campaign(m)
		})
	}
}

func duel(c *Faults, d *sim.Draw) {
	burst(c, d, func() {
		c.cluster.Campaign(anyReplica(c, d))
	})
}

// rebirth lets answers to one life meet the next. A candidate asks for promises; their answers are
// held back, and the candidate loses power before its own promise is on its disk. It comes back,
// knows nothing of that ballot, and uses it again.
func rebirth(c *Faults, d *sim.Draw) {
	m := anyReplica(c, d)
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
		release = append(release, c.untilFirst(Outage(d), l.Release))
	}
	c.cluster.Campaign(m)
	c.later(d.Duration(0, c.plan.Disk.Sync[0]), func() {
		if m.Up() && c.cluster.Runs(m) {
			c.cluster.Retire(m)
			m.Crash()
			m.StartAfter(d.Duration(0, 20*time.Millisecond))
			rise(c, m, d, release)
		}
	})
}

// rise waits until a replica has recovered, makes it campaign, and releases what is held back.
func rise(c *Faults, m *sim.Machine, d *sim.Draw, release []func()) {
	c.later(time.Millisecond, func() {
		if n := c.cluster.Core(m); n == nil {
			rise(c, m, d, release)
			return
		}
		c.cluster.Campaign(m)
		c.later(d.Duration(0, 2*c.plan.Link.Delay[0]), func() {
			for _, f := range release {
				f()
			}
		})
	})
}

func pause(c *Faults, d *sim.Draw) { anyReplica(c, d).PauseFor(Outage(d)) }

func pauseLeader(c *Faults, d *sim.Draw) {
	c.aim(d, func() {
		if m := c.leader(d); m != nil {
			m.PauseFor(Outage(d))
		}
	})
}

func pauseMidstep(c *Faults, d *sim.Draw) { anyReplica(c, d).PauseAfterReading(Outage(d)) }

func slowNode(c *Faults, d *sim.Draw) {
	m := anyReplica(c, d)
	m.Slow(time.Duration(d.LogUniform(int64(50*time.Microsecond), int64(5*time.Millisecond))))
	c.until(Outage(d), func() { m.Slow(0) })
}

func clientPause(c *Faults, d *sim.Draw) { c.clients[d.Int(len(c.clients))].PauseFor(Outage(d)) }

func clientCrash(c *Faults, d *sim.Draw) {
	if m := c.clients[d.Int(len(c.clients))]; m.Up() {
		m.Crash()
		back(c, m, d)
	}
}
