package cell

import (
	"time"

	"github.com/chubbycell/chubby/sim"
)

func clockRate(c *Cell, d *sim.Draw) {
	m := c.anyMachine(d)
	m.Clock().SetRate(d.Between(-c.plan.RatePPB, c.plan.RatePPB))
}

func clockStep(c *Cell, d *sim.Draw) {
	c.anyMachine(d).Clock().StepWall(d.Duration(-time.Hour, time.Hour))
}

func clockFreeze(c *Cell, d *sim.Draw) { c.anyMachine(d).Clock().Freeze(outage(d)) }

func (c *Cell) anyMachine(d *sim.Draw) *sim.Machine {
	if k := d.Int(len(c.replicas) + len(c.clients)); k < len(c.replicas) {
		return c.replicas[k]
	} else {
		return c.clients[k-len(c.replicas)]
	}
}
