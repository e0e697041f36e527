package cellkit

import (
	"fmt"

	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/sim"
)

// Cell is a cell in a world.
type Cell struct {
	cfg      Config
	world    *sim.World
	machines []*sim.Machine            // that of replica i+1 at index i
	ids      map[sim.Addr]paxos.NodeID // of the replicas on these machines
	checks   *checks                   // nil: it is not checked
}

// named is the key of the cells of a world, by name.
type named struct{}

// Add adds a cell to a world, and starts its replicas. The first master serves after about a second.
// Add panics, and says why, if the Config describes no cell, or if the world has a cell of that name.
//
// The replicas have the ids 1, 2 and so on in every cell, and the next free addresses of the world.
// Links take no time unless the sim.Config of the world has a Link.Delay.
func Add(w *sim.World, cfg Config) *Cell {
	c := &Cell{cfg: cfg.withDefaults(), world: w, ids: map[sim.Addr]paxos.NodeID{}}
	all := sim.Shared(w, named{}, func() map[string]*Cell { return map[string]*Cell{} })
	if all[cfg.Name] != nil {
		panic(fmt.Sprintf("cellkit: the world has a cell %q already: give each a Config.Name of its own", cfg.Name))
	}
	all[cfg.Name] = c
	c.driver(1, 0) // panics here, and not in the run, if Tune is wrong
	if !cfg.Unchecked {
		c.checks = newChecks(c)
		sim.AtEnd(w, c.Judge)
	}
	for i := range c.cfg.Replicas {
		c.machines = append(c.machines, c.addReplica(paxos.NodeID(i+1)))
	}
	return c
}

// addReplica adds the machine of a replica, and starts it.
func (c *Cell) addReplica(id paxos.NodeID) *sim.Machine {
	var m *sim.Machine
	cfg := sim.MachineConfig{Disk: c.cfg.Disk, Process: func() sim.Process { return &replica{cell: c, id: id} }}
	if c.cfg.Clock != nil {
		cfg.Clock = c.cfg.Clock(uint32(id))
	}
	if c.cfg.Place != nil {
		m = c.cfg.Place(uint32(id), cfg)
	} else {
		m = c.world.Add(cfg)
		m.Start()
	}
	c.ids[m.Addr()] = id
	return m
}

// Name returns the cell's name; "" if it has none.
func (c *Cell) Name() string { return c.cfg.Name }

// Machines returns the machines of the replicas: that of replica 1 first. The slice belongs to the
// caller.
func (c *Cell) Machines() []*sim.Machine { return append([]*sim.Machine(nil), c.machines...) }

// Addrs returns the addresses of these machines, for Network.Isolate and Network.Partition.
func (c *Cell) Addrs() []sim.Addr {
	var all []sim.Addr
	for _, m := range c.machines {
		all = append(all, m.Addr())
	}
	return all
}

// Any is an Aim of package sim/faults that draws one of the cell's replicas.
func (c *Cell) Any(s *sim.Stage) *sim.Machine { return c.machines[s.Draw().Int(len(c.machines))] }

// Master is an Aim of package sim/faults: the machine of the replica that leads with a master lease
// by its own clock, or nil if there is none, as in the middle of a fail-over. Tests may call it with
// nil. It is always nil if Tune has turned master leases off.
func (c *Cell) Master(*sim.Stage) *sim.Machine {
	for _, m := range c.machines {
		if r := running(m); r != nil && r.leads(m.Clock().Mono()) {
			return m
		}
	}
	return nil
}

// Judge checks what only a whole run shows: that one order explains all answers that Clients of this
// cell got (S4, S3), and that locks excluded each other in true time, lock-delays included (S8). It
// breaks these properties by World.Break. A sim.Scenario calls it at its end. A test that runs its
// world itself calls it after its last step; later calls have no effect. It does nothing if the cell
// is Unchecked, or if something broke before.
func (c *Cell) Judge() {
	if c.checks != nil {
		c.checks.judge()
	}
}

// at returns the address of the machine of a replica.
func (c *Cell) at(id paxos.NodeID) sim.Addr { return c.machines[id-1].Addr() }
