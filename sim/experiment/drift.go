package experiment

import (
	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/sim/cell"
	"github.com/chubbycell/chubby/sim/plan"
)

// driftRho is the bound on rate errors with which replicas are configured here: 10 %, so that the
// results do not depend on a margin of microseconds.
const driftRho = paxos.PPM(100_000)

// drift asks how likely it is that two replicas hold read authority at once if clocks err by some
// multiple of the configured bound. Within the bound it must never happen (S7). Above it nothing is
// guaranteed, and the experiment measures the probability.
func drift() Experiment {
	e := Experiment{
		Name:  "drift",
		Help:  "two replicas with read authority at once, by how far clocks err beyond the bound they are configured with",
		Event: "seeds in which two replicas held read authority at one instant of true time (S7)",
		Axis:  "injected over configured rate error",
		Even:  true,
		Judge: func(r *cell.Result) Verdict {
			switch {
			case !r.Failed():
				return Miss
			case r.Breach.ID == "S7":
				return Hit
			}
			return Void
		},
	}
	// Both series cut and delay messages. The aimed one also makes the leader's clock slow and the
	// others' fast, cuts the leader off and makes another replica campaign.
	unaimed := []string{"partition", "one-way", "slow-link", "noise", "pause", "clock-rate"}
	for _, s := range []struct {
		name   string
		faults []string
	}{{"unaimed", unaimed}, {"aimed", append([]string{"lease-edge"}, unaimed...)}} {
		for _, permille := range []int{500, 900, 1000, 1010, 1100, 2000, 4000} {
			e.Grid = append(e.Grid, Place{Series: s.name, X: float64(permille) / 1000, Options: plan.Options{
				Faults: s.faults, Workload: "increments", Clients: 3, // master leases do not depend on what clients do
				Lease: plan.LeaseOptions{Rho: driftRho, Error: permille, OnlyS7: true},
			}})
		}
	}
	return e
}
