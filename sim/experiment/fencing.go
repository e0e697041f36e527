package experiment

import (
	"time"

	"github.com/chubbycell/chubby/sim/cell"
	"github.com/chubbycell/chubby/sim/plan"
)

// fencing asks how many updates of a resource outside of the cell are lost, by how the resource
// guards itself and by the lock-delay. A lock alone cannot protect the resource: a holder may be
// paused for longer than its session lives, its write may be under way for as long, and its clock
// may be wrong. A longer lock-delay makes losses rarer. Only tokens prevent them, and only if reads
// carry tokens, too, or if writes name the version on which they are based.
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
	// Faults that make a holder lose its lock: its machine is paused, crashes, or is cut off from
	// the cell but not from the resource; messages are late.
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

// fencingDrift makes the clocks of about half of the clients err by up to four times the bound, so
// that two clients may each believe that they hold one lock.
const fencingDrift = 4000
