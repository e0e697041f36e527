package cell

import (
	"time"

	"github.com/chubbycell/chubby/replica/state/command"
	"github.com/chubbycell/chubby/sim"
)

// scheduleLimits makes an operator set limits of the cell repeatedly until healing. The operator
// asks all replicas; only a replica that believes that it is the master acts.
func (c *Cell) scheduleLimits(turn uint64) {
	every := c.plan.Limits.Every
	if every == 0 {
		return
	}
	d := c.world.Draw("cell.limits", turn)
	c.world.After(d.Duration(every/2, 3*every/2), func() {
		if c.promises.Healed {
			return
		}
		limits := c.drawLimits(d)
		for _, m := range c.machines.Replicas {
			tell(m, func(r *replica, now time.Time) {
				if r.Host.SetLimits(now, limits) == nil {
					c.settings.OnAsked(r.Id, limits)
				}
			})
		}
		c.scheduleLimits(turn + 1)
	})
}

// drawLimits draws some limits, often below what is in use, and leaves others as they are.
func (c *Cell) drawLimits(d *sim.Draw) (l command.SetLimits) {
	value, most := int64(c.plan.Calls.Value), c.plan.Limits.Sessions
	for _, f := range []struct {
		at     *uint64
		lo, hi int64
	}{
		{&l.Nodes.Principal.Nodes, 2, 200}, {&l.Nodes.Principal.Bytes, 64, 64 + 64*value},
		{&l.Nodes.Directory.Nodes, 2, 100}, {&l.Nodes.Directory.Bytes, 64, 64 + 64*value},
		{&l.Sessions, int64(most), 2 * int64(most)},
	} {
		if n := uint64(d.LogUniform(max(f.lo, 1), max(f.hi, 1))); d.Chance(1, 3) && f.hi > 0 {
			*f.at = n
		}
	}
	if l == (command.SetLimits{}) {
		l.Nodes.Principal.Nodes = 50
	}
	return l
}
