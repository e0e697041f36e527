package cell

import (
	"errors"
	"time"

	"github.com/chubbycell/chubby/internal/draw"
	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/node"
	"github.com/chubbycell/chubby/replica/rows"
)

// Misfit is a replica that was configured otherwise than its cell when the cell
// was founded: with another length of leases. It must take part in no lease, and
// stop as soon as it hears of the constant; or, if it was the first to become
// master, all others must. Somebody then corrects the configuration of who stopped.
type Misfit struct {
	Replica paxos.NodeID // 0: none
	Grant   time.Duration
}

// misfit puts one into one cell of ten that has leases.
func (p *Plan) misfit(at func(string) *draw.Stream) {
	d := at("misfit")
	lease := p.Host.Node.Paxos.Lease
	if lease.Grant == 0 || !d.Chance(1, 10) {
		return
	}
	p.Misfit.Replica = paxos.NodeID(1 + d.Int(p.Replicas))
	p.Misfit.Grant = lease.Grant + d.Duration(time.Millisecond, lease.Grant)
	if short := lease.Grant - d.Duration(time.Millisecond, lease.Grant/2); d.Chance(3, 4) && renewable(p, short) {
		p.Misfit.Grant = short
	}
}

// renewable says whether the cell's heartbeats can renew leases of this length.
func renewable(p *Plan, grant time.Duration) bool {
	cfg := p.Host.Node.Paxos
	cfg.ID, cfg.Members = 1, []paxos.NodeID{1}
	cfg.Lease.Grant = grant
	return cfg.Validate() == nil
}

// corrects gives a replica that stopped because of a constant the other
// configuration.
func (c *Cell) corrects(r *replica) {
	if c.plan.Misfit.Replica != 0 && r.host.Node() != nil && errors.Is(r.stopped, node.ErrConstant) {
		c.misfits[r.id] = !c.misfits[r.id]
		c.rare.misfits++
	}
}

// fits checks that a replica which goes on is configured as its rows say (S17's
// sibling for configurations: whoever differs must not serve).
func (c *Cell) fits(r *replica) {
	value, ok := rows.GetConstant(r.host.Node().View(), "lease grant")
	if have := c.hostConfig(r.id).Node.Paxos.Lease.Grant.String(); ok && have != value {
		c.world.Break("S7", "replica %d goes on with leases of %v, in a cell where they are %s", r.id, have, value)
	}
}
