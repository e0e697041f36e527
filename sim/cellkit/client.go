package cellkit

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/client/session"
	"github.com/chubbycell/chubby/sim"
)

// NewClient returns a Client of these cells for a program, on the machine on which rt runs. The first
// cell is also /ls/local, and each has its name. NewClient sets cfg.Replicas, and cfg.Draw if it is
// nil; the rest of cfg may be zero. It blocks as little as client.New, and must be called by the
// program, once for each life and once more after each session that is over.
//
// The program still gets what other machines send through rt.Receive, and sends to them with Send.
// NewClient panics if there is no cell, or if another than the first has no name.
func NewClient(rt *sim.Runtime, cfg client.Config, cells ...*Cell) *client.Client {
	if len(cells) == 0 {
		panic("cellkit: NewClient without a cell: give it one that Add returned")
	}
	machines, others, checked := map[sim.Replica]sim.Addr{}, map[string][]uint32{}, map[string]*checks{}
	for i, c := range cells {
		name := c.cfg.Name
		switch {
		case i == 0:
			name = "" // as a Client addresses its local cell
		case name == "":
			panic(fmt.Sprintf("cellkit: NewClient of %d cells, and number %d has no name: set its Config.Name", len(cells), i+1))
		default:
			others[name] = c.replicaIDs()
		}
		checked[name] = c.checks
		for _, id := range c.replicaIDs() {
			machines[sim.Replica{Cell: name, ID: id}] = c.machines[id-1].Addr()
		}
	}
	cfg.Replicas = cells[0].replicaIDs()
	if cfg.Draw == nil {
		cfg.Draw = nextDraw(rt.Env()).Uint64
	}
	t := &tap{rt.ForClient(machines).(clientRuntime), slices.Clone(cells), checked, cmp.Or(cfg.Rho, session.DefaultRho)}
	cl := client.New(t, cfg, client.WithName(cells[0].cfg.Name), client.WithCells(others))
	if k := cells[0].checks; k != nil {
		k.beliefs.OnClient(believer{t, cl, t.rho})
	}
	return cl
}

func (c *Cell) replicaIDs() (ids []uint32) {
	for i := range c.machines {
		ids = append(ids, uint32(i+1))
	}
	return ids
}

// made is the key of how many Clients each machine has had.
type made struct{}

// nextDraw returns draws that no other Client has: two Clients with equal draws would open one
// session.
func nextDraw(env *sim.Env) *sim.Draw {
	n := sim.Shared(env.World(), made{}, func() map[sim.Addr]uint64 { return map[sim.Addr]uint64{} })
	n[env.Self()]++
	return env.World().Draw("cellkit.client", uint64(env.Self())<<32|n[env.Self()])
}
