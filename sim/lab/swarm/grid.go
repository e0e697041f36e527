package swarm

import (
	"github.com/chubbycell/chubby/sim/lab"
)

// Place is what runs with the same seeds as every other place: a system, a fault, and how the
// resource guards itself.
type Place struct {
	System *lab.System
	Fault  Fault
	Guard  lab.Variant
}

// The resources that are compared.
var (
	noGuard    = lab.Variant{Name: "no check", Guard: lab.NoGuard}
	writeFence = lab.Variant{Name: "write-check", Guard: lab.WriteFence}
	readFence  = lab.Variant{Name: "read-and-write check", Guard: lab.ReadFence}
)

// Grid is the places in which systems are compared: each without faults, and under each kind of
// fault with each resource. A system without a token has no fences: they would see nothing.
// Where one server stands for a cluster, no server crashes. The error is a panic of a model.
func Grid(all []lab.System) ([]Place, error) {
	var grid []Place
	for i := range all {
		s := &all[i]
		first, err := Run(s, Calm, noGuard, 1)
		if err != nil {
			return nil, err
		}
		grid = append(grid, Place{s, Calm, noGuard})
		for _, f := range Faults() {
			if s.Whole && f.Name == ServerCrash {
				continue
			}
			grid = append(grid, Place{s, f, noGuard})
			if first.Token {
				grid = append(grid, Place{s, f, writeFence}, Place{s, f, readFence})
			}
		}
	}
	return grid, nil
}

// Run runs one seed in this place.
func (p *Place) Run(seed uint64) (Seen, error) { return Run(p.System, p.Fault, p.Guard, seed) }
