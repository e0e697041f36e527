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
// One that joins when the cell is at work may learn of the constant by a snapshot.
type Misfit struct {
	Replica paxos.NodeID // 0: none
	Grant   time.Duration
	Joins   time.Duration // after the others; 0: with them
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
	if d.Chance(1, 2) {
		p.Misfit.Joins = d.Duration(time.Second, 20*time.Second)
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
		if r.host.Node().Status().Count.Installed > 0 {
			c.rare.misfitsTold++
		}
	}
}

// grant is the length of leases that a replica is configured with.
func (c *Cell) grant(id paxos.NodeID) time.Duration {
	if c.misfits[id] {
		return c.plan.Misfit.Grant
	}
	return c.plan.Host.Node.Paxos.Lease.Grant
}

// fits checks that a replica which goes on is configured as its rows say (S17's
// sibling for configurations: whoever differs must not serve), from wherever it has
// them.
func (c *Cell) fits(r *replica) {
	if c.plan.Misfit.Replica == 0 {
		return
	}
	value, ok := rows.GetConstant(r.host.Node().Rows(), "lease grant")
	if have := c.grant(r.id).String(); ok && have != value {
		c.world.Break("S7", "replica %d goes on with leases of %v, in a cell where they are %s", r.id, have, value)
	}
}
