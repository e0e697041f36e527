package cell

import (
	"errors"

	"github.com/chubbycell/chubby/replica/core"
	"github.com/chubbycell/chubby/replica/state/rows"
)

// correctConfig gives a replica the other configuration if it stopped because a constant of its
// configuration differs from the rows.
func (c *Cell) correctConfig(r *replica) {
	if c.plan.Misfit.Replica != 0 && r.Host.Core() != nil && errors.Is(r.Stopped, core.ErrConstant) {
		c.configs.Swap(r.Id)
		c.rare.misfits++
		if r.Host.Core().Status().Count.Installed > 0 {
			c.rare.misfitsTold++
		}
	}
}

// checkConfig checks that a replica which continues has the lease duration that its rows say,
// whether the rows came from the log or from a snapshot.
func (c *Cell) checkConfig(r *replica) {
	if c.plan.Misfit.Replica == 0 {
		return
	}
	value, ok := rows.GetConstant(r.Host.Core().Rows(), "lease grant")
	if have := c.configs.Grant(r.Id).String(); ok && have != value {
		c.world.Break("S7", "replica %d goes on with leases of %v, in a cell where they are %s", r.Id, have, value)
	}
}
