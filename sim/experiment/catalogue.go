package experiment

import (
	"fmt"
	"time"

	"github.com/chubbycell/chubby/sim/cell"
	"github.com/chubbycell/chubby/sim/plan"
)

// Catalogue lists all experiments.
func Catalogue() []Experiment {
	return []Experiment{drift(), fencing(), recovery()}
}

// slow is how long after healing a seed counts as one that recovered slowly.
const slow = 2 * time.Second

// recovery asks how the size of a cell and the density of faults bear upon the
// time until clients are served again.
func recovery() Experiment {
	e := Experiment{
		Name:  "recovery",
		Help:  "slow recovery after healing, by replicas and by how faults are chosen",
		Event: fmt.Sprintf("seeds in which the last call ended more than %v after healing", slow),
		Axis:  "replicas",
		Judge: func(r *cell.Result) Verdict {
			switch {
			case r.Failed():
				return Void
			case r.Recovery > slow:
				return Hit
			}
			return Miss
		},
	}
	for _, faults := range []string{"none", "swarm", "all"} {
		names, err := plan.ParseFaults(faults, nil)
		if err != nil {
			panic(err)
		}
		for n := 3; n <= plan.MaxReplicas; n += 2 {
			e.Grid = append(e.Grid, Place{Series: "faults " + faults, X: float64(n), Options: plan.Options{Replicas: n, Faults: names}})
		}
	}
	return e
}
