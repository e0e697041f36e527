package cluster

import (
	"encoding/binary"
	"time"

	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/driver"
	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/plan"
)

// Configs are the configurations of the replicas of a cell. They are those of the plan, except for
// a misfit and a hoarder.
type Configs struct {
	plan    *plan.Plan
	world   *sim.World
	misfits map[paxos.NodeID]bool // replicas that have the configuration of the misfit
}

// NewConfigs returns the configurations of a plan's replicas.
func NewConfigs(p *plan.Plan, w *sim.World) *Configs {
	return &Configs{plan: p, world: w, misfits: map[paxos.NodeID]bool{p.Misfit.Replica: true}}
}

// Of returns the configuration of the next life of a replica.
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

// Grant returns the duration of lease grants in the configuration of a replica.
func (c *Configs) Grant(id paxos.NodeID) time.Duration {
	if c.misfits[id] {
		return c.plan.Misfit.Grant
	}
	return c.plan.Driver.Core.Paxos.Lease.Grant
}

// Swap exchanges the lease duration of a replica: the misfit's for the cell's, or the cell's for
// the misfit's.
func (c *Configs) Swap(id paxos.NodeID) { c.misfits[id] = !c.misfits[id] }

// hoard is how many more slots than others a hoarder keeps for laggards.
const hoard = 1_000

// KeepSlots returns how many slots a replica keeps for laggards.
func (c *Configs) KeepSlots(id paxos.NodeID) paxos.Slot {
	if c.plan.Hoarder == id {
		return c.plan.Driver.KeepSlots + hoard
	}
	return c.plan.Driver.KeepSlots
}
