package cell

import (
	"errors"

	"github.com/chubbycell/chubby/replica/core"
	"github.com/chubbycell/chubby/replica/state/rows"
)

// corrects gives a replica that stopped because of a constant the other
// configuration.
func (c *Cell) corrects(r *replica) {
	if c.plan.Misfit.Replica != 0 && r.Host.Core() != nil && errors.Is(r.Stopped, core.ErrConstant) {
		c.configs.Swap(r.Id)
		c.rare.misfits++
		if r.Host.Core().Status().Count.Installed > 0 {
			c.rare.misfitsTold++
		}
	}
}

// fits checks that a replica which goes on is configured as its rows say (S17's
// sibling for configurations: a replica that differs must not serve), from wherever it has
// them.
func (c *Cell) fits(r *replica) {
	if c.plan.Misfit.Replica == 0 {
		return
	}
	value, ok := rows.GetConstant(r.Host.Core().Rows(), "lease grant")
	if have := c.configs.Grant(r.Id).String(); ok && have != value {
		c.world.Break("S7", "replica %d goes on with leases of %v, in a cell where they are %s", r.Id, have, value)
	}
}
