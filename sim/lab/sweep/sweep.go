package sweep

import (
	"time"

	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/cell"
	"github.com/chubbycell/chubby/sim/experiment"
	"github.com/chubbycell/chubby/sim/lab"
)

// Sweep is a grid of systems by the values of a parameter.
type Sweep struct {
	experiment.Experiment // what is counted, and the grid: a series for each system
	Help                  string
	places                []place
}

// place is what runs in one place of the grid.
type place struct {
	system *lab.System
	x      float64
	script func(s *scene)
	counts func(o *lab.Outcome, s *scene) Seen
}

// Seen is what one seed says in one place of the grid.
type Seen struct {
	Verdict experiment.Verdict
	Sums    []cell.Number // as in the experiment
}

// scene is the world of one run.
type scene struct {
	*lab.Bench
	x      float64       // the parameter
	lease  time.Duration // of the system
	draw   *sim.Draw     // what is drawn from it first is the same in all places
	writes int           // that clients sent
	given  int           // that they did not
}

// noLease is the length that stands for a lease where a system has none.
const noLease = 10 * time.Second

// leaseOf is the unit of a system's axis.
func leaseOf(s *lab.System) time.Duration {
	if s.Lease == 0 {
		return noLease
	}
	return s.Lease
}

// part is so much of a lease.
func (s *scene) part(of float64) time.Duration { return time.Duration(of * float64(s.lease)) }

// fraction draws a number from lo to hi.
func (s *scene) fraction(lo, hi float64) float64 {
	const steps = 1_000_000
	return lo + (hi-lo)*float64(s.draw.Between(0, steps))/steps
}

// Run runs one seed in one place of the grid. Equal arguments see the same. The error is a panic of
// a model.
func (s *Sweep) Run(at int, seed uint64) (Seen, error) {
	p := &s.places[at]
	x := &scene{x: p.x, lease: leaseOf(p.system)}
	b := &lab.Break{ID: s.Name, Length: time.Hour, Script: func(b *lab.Bench) {
		x.Bench, x.draw = b, b.World().Draw("lab.sweep", 0)
		p.script(x)
	}}
	o, err := lab.Run(b, lab.Variant{Name: p.system.Name, Guard: lab.NoGuard, Build: p.system.Default}, seed)
	if err != nil {
		return Seen{}, err
	}
	return p.counts(&o, x), nil
}

// add puts a place into the grid.
func (s *Sweep) add(system *lab.System, x float64, script func(s *scene), counts func(o *lab.Outcome, s *scene) Seen) {
	s.Grid = append(s.Grid, experiment.Place{Series: system.Name, X: x})
	s.places = append(s.places, place{system, x, script, counts})
}

func verdict(hit bool) experiment.Verdict {
	if hit {
		return experiment.Hit
	}
	return experiment.Miss
}

// Names are the sweeps that there are.
func Names() []string { return []string{"pause", "min-validity"} }
