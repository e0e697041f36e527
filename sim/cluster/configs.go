package cluster

import (
	"encoding/binary"
	"time"

	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/driver"
	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/plan"
)

// Configs is how the replicas of a cell are configured: as the plan says, but for a misfit
// and a hoarder.
type Configs struct {
	plan    *plan.Plan
	world   *sim.World
	misfits map[paxos.NodeID]bool // which are configured as the misfit is
}

// NewConfigs is the configurations of a plan's replicas.
func NewConfigs(p *plan.Plan, w *sim.World) *Configs {
	return &Configs{plan: p, world: w, misfits: map[paxos.NodeID]bool{p.Misfit.Replica: true}}
}

// Of is the configuration of the next life of one replica.
func (c *Configs) Of(id paxos.NodeID) driver.Config {
	cfg := c.plan.Driver
	cfg.Core.Paxos.ID = id
	secret := c.world.Draw("cell.secret", uint64(id))
	for i := 0; i < len(cfg.Core.Secret); i += 8 {
		binary.BigEndian.PutUint64(cfg.Core.Secret[i:], secret.Uint64())
	}
	cfg.Core.Paxos.Lease.Grant = c.Grant(id)
	cfg.KeepSlots = c.KeepSlots(id)
	for i := range c.plan.Replicas {
		cfg.Core.Paxos.Members = append(cfg.Core.Paxos.Members, paxos.NodeID(i+1))
	}
	return cfg
}

// Grant is the length of leases that a replica is configured with.
func (c *Configs) Grant(id paxos.NodeID) time.Duration {
	if c.misfits[id] {
		return c.plan.Misfit.Grant
	}
	return c.plan.Driver.Core.Paxos.Lease.Grant
}

// Swap gives a replica the misfit's lease in place of the cell's, or the other way round.
func (c *Configs) Swap(id paxos.NodeID) { c.misfits[id] = !c.misfits[id] }

// hoard is how many slots more a hoarder keeps for laggards.
const hoard = 1_000

// KeepSlots is how many slots a replica keeps for laggards.
func (c *Configs) KeepSlots(id paxos.NodeID) paxos.Slot {
	if c.plan.Hoarder == id {
		return c.plan.Driver.KeepSlots + hoard
	}
	return c.plan.Driver.KeepSlots
}
