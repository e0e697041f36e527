package experiment

import (
	"fmt"
	"time"

	"github.com/chubbycell/chubby/sim/cell"
	"github.com/chubbycell/chubby/sim/plan"
)

// slow is how long after healing a client's first answer may come if the seed is not to count as
// slow. Without faults no first answer takes nearly as long.
const slow = 2 * time.Second

// recovery asks how the size of a cell and the density of faults affect the time until clients are
// served again. All replicas stay after healing, sessions do not end as idle, and programs call
// rows, whose calls wait only for the cell. So without faults, in the control series, an answer
// takes a few messages and syncs.
func recovery() Experiment {
	e := Experiment{
		Name:  "recovery",
		Help:  "how long clients wait for their first answer after healing, by replicas and by how faults are chosen",
		Event: fmt.Sprintf("seeds in which a client had its first answer more than %v after healing", slow),
		Axis:  "replicas",
		Judge: func(r *cell.Result) Verdict {
			switch {
			case r.Failed() || len(r.FirstAnswers) == 0:
				return Void
			case longest(r.FirstAnswers) > slow:
				return Hit
			}
			return Miss
		},
		Waits: func(r *cell.Result) []time.Duration { return r.FirstAnswers },
		Wait:  "time to a client's first answer after healing",
	}
	for _, s := range []struct{ series, faults string }{
		{"no-fault control", "none"}, {"faults swarm", "swarm"}, {"faults all", "all"},
	} {
		names, err := plan.ParseFaults(s.faults, nil)
		if err != nil {
			panic(err)
		}
		for n := 3; n <= plan.MaxReplicas; n += 2 {
			e.Grid = append(e.Grid, Place{Series: s.series, X: float64(n), Options: plan.Options{
				Replicas: n, Faults: names, Workload: "mixed", Steady: true,
			}})
		}
	}
	return e
}

func longest(all []time.Duration) (most time.Duration) {
	for _, d := range all {
		most = max(most, d)
	}
	return most
}
