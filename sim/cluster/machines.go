package cluster

import (
	"time"

	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/plan"
)

// Machines are the machines of a cell: its replicas and its clients. All are in one world, and each
// has its own clock.
type Machines struct {
	Replicas []*sim.Machine
	Clients  []*sim.Machine

	plan  *plan.Plan
	world *sim.World
	rates *sim.Draw
}

// NewMachines returns an empty set of machines for a plan in a world.
func NewMachines(p *plan.Plan, w *sim.World) *Machines {
	return &Machines{plan: p, world: w, rates: w.Draw("cell.clock", 0)}
}

// Clock draws the initial clock of the next machine.
func (c *Machines) Clock() sim.ClockConfig {
	cfg := sim.ClockConfig{
		Offset:     c.rates.Duration(0, time.Hour),
		WallOffset: c.rates.Duration(-time.Hour, time.Hour),
		RatePPB:    plan.ClockRate(c.plan.RatePPB, c.rates),
	}
	if c.plan.TrueClocks {
		cfg.RatePPB = 0
	}
	return cfg
}

// AddReplica adds the machine of the next replica. process makes its lives. The machine is down
// until Start.
func (c *Machines) AddReplica(process func() sim.Process) *sim.Machine {
	m := c.world.Add(sim.MachineConfig{Process: process, Clock: c.Clock(), Disk: c.plan.Disk, Far: c.plan.Far()})
	c.Replicas = append(c.Replicas, m)
	return m
}

// AddClient adds the machine of the next client, on which a program runs. It is down until
// Start.
func (c *Machines) AddClient(program func(*sim.Runtime)) *sim.Machine {
	m := c.world.Add(sim.MachineConfig{
		Addr: sim.FirstClient + sim.Addr(len(c.Clients)), Process: sim.Program(program), Clock: c.Clock(), Disk: c.plan.Disk,
	})
	c.Clients = append(c.Clients, m)
	return m
}

// IDs returns the ids of all replicas of the plan.
func (c *Machines) IDs() []uint32 {
	var ids []uint32
	for i := range c.plan.Replicas {
		ids = append(ids, uint32(i+1))
	}
	return ids
}

// Start starts every machine of the world, including machines that were not added by AddReplica and
// AddClient. It starts a misfit that joins late at its time, and leaves idle clients down.
func (c *Machines) Start() {
	for _, m := range c.world.Replicas() {
		if late := c.plan.Misfit.Joins; late > 0 && paxos.NodeID(m.Addr()) == c.plan.Misfit.Replica {
			m.StartAfter(late)
		} else {
			m.Start()
		}
	}
	for i, m := range c.world.Clients() {
		if !c.plan.IsIdle(i + 1) {
			m.Start()
		}
	}
}

// Heal restores the network of the plan, resumes every replica and client, and starts those that
// are down, except idle clients.
func (c *Machines) Heal() {
	c.world.Net().SetDefault(c.plan.Link)
	c.world.Net().Heal()
	for i, m := range append(c.Replicas, c.Clients...) {
		for m.Paused() {
			m.Resume()
		}
		if client := i + 1 - len(c.Replicas); !c.plan.IsIdle(client) {
			m.Start()
		}
	}
}
