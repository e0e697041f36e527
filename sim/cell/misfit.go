package cell

import (
	"errors"
	"time"

	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/core"
	"github.com/chubbycell/chubby/replica/state/rows"
)

// corrects gives a replica that stopped because of a constant the other
// configuration.
func (c *Cell) corrects(r *replica) {
	if c.plan.Misfit.Replica != 0 && r.Host.Core() != nil && errors.Is(r.Stopped, core.ErrConstant) {
		c.misfits[r.Id] = !c.misfits[r.Id]
		c.rare.misfits++
		if r.Host.Core().Status().Count.Installed > 0 {
			c.rare.misfitsTold++
		}
	}
}

// grant is the length of leases that a replica is configured with.
func (c *Cell) grant(id paxos.NodeID) time.Duration {
	if c.misfits[id] {
		return c.plan.Misfit.Grant
	}
	return c.plan.Driver.Core.Paxos.Lease.Grant
}

// fits checks that a replica which goes on is configured as its rows say (S17's
// sibling for configurations: a replica that differs must not serve), from wherever it has
// them.
func (c *Cell) fits(r *replica) {
	if c.plan.Misfit.Replica == 0 {
		return
	}
	value, ok := rows.GetConstant(r.Host.Core().Rows(), "lease grant")
	if have := c.grant(r.Id).String(); ok && have != value {
		c.world.Break("S7", "replica %d goes on with leases of %v, in a cell where they are %s", r.Id, have, value)
	}
}
