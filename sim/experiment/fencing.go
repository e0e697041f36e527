package experiment

import (
	"time"

	"github.com/chubbycell/chubby/sim/cell"
	"github.com/chubbycell/chubby/sim/plan"
)

// fencing asks what updates of a resource outside of the cell are lost, by how the
// resource guards itself and by how long the lock of a lost holder is kept from
// others. A lock alone cannot protect it: a holder may be stopped for longer than
// its session lives, its write may be on its way for as long, and its clock may be
// wrong. A longer lock-delay makes losses rarer; only tokens end them, and only if
// reads carry them, too, or writes say what they were made from.
func fencing() Experiment {
	e := Experiment{
		Name:  "fencing",
		Help:  "updates lost at a resource outside of the cell, by how it checks sequencers and by lock-delay",
		Event: "seeds in which an update that the resource had accepted was lost",
		Axis:  "longest lock-delay, s",
		Even:  true,
		Judge: func(r *cell.Result) Verdict {
			switch {
			case r.Fence.Lost > 0:
				return Hit
			case r.Failed():
				return Void
			}
			return Miss
		},
		Sums: func(r *cell.Result) []cell.Number {
			f := r.Fence
			return []cell.Number{
				{Name: "increments", Value: uint64(f.Done)}, {Name: "lost", Value: uint64(f.Lost)}, {Name: "refused", Value: uint64(f.Refused)},
			}
		},
		Rate: &Rate{Name: "lost of increments", Part: "lost", Whole: "increments"},
	}
	// What parts a holder from its lock: its machine stands still, is cut off from the
	// cell and not from the resource, or begins anew; messages are late.
	faults := []string{"slow-link", "noise", "client-cut", "client-crash", "client-pause"}
	for _, mode := range plan.FenceModes() {
		for _, delay := range []time.Duration{0, time.Second, 10 * time.Second} {
			o := plan.FenceOptions{Mode: mode, Delay: delay, Drift: fencingDrift}
			if delay == 0 {
				o.Delay = -1
			}
			e.Grid = append(e.Grid, Place{Series: mode.String(), X: delay.Seconds(), Options: plan.Options{
				Faults: faults, Workload: "fenced", Lease: plan.LeaseOptions{Rho: driftRho}, Fence: o,
			}})
		}
	}
	return e
}

// fencingDrift lets the clocks of about half of the clients err by up to four times
// what they may: two clients may hold one lock, each by its own clock.
const fencingDrift = 4000
