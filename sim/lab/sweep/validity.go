package sweep

import (
	"math"

	"github.com/chubbycell/chubby/sim/cell"
	"github.com/chubbycell/chubby/sim/experiment"
	"github.com/chubbycell/chubby/sim/lab"
)

// demands are what a client demands of its lease to be left, in leases.
var demands = []float64{0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9}

// MinValidity asks how likely a stale write is, by how much of its lease a client demands to be left
// before it writes. Between the look at its clock and the write the client stands still for a time
// that is drawn: of the order of a thousandth of the lease as likely as of the order of all of it.
// Only systems take part whose client knows the end of its lease (lab.Timed).
func MinValidity(all []lab.System) *Sweep {
	s := &Sweep{
		Help: "a client writes only if so much of its lease is left: how likely a stale write is then",
		Experiment: experiment.Experiment{
			Name:  "min-validity",
			Event: "seeds in which a stale write was taken",
			Axis:  "what a client demands to be left of its lease",
			Rate:  &experiment.Rate{Name: "stale of writes", Part: "stale", Whole: "writes"},
			Sums:  func(*cell.Result) []cell.Number { return numbers(0, 0, 0) },
		},
	}
	for i := range all {
		for _, x := range demands {
			s.add(&all[i], x, demandingHolder, func(o *lab.Outcome, s *scene) Seen {
				stale := 0
				for i := range o.Writes {
					if o.Writes[i].Stale {
						stale++
					}
				}
				return Seen{verdict(stale > 0), numbers(s.writes, stale, s.given)}
			})
		}
	}
	return s
}

// numbers are the sums of a seed.
func numbers(writes, stale, given int) []cell.Number {
	return []cell.Number{{Name: "writes", Value: uint64(writes)}, {Name: "stale", Value: uint64(stale)}, {Name: "given up", Value: uint64(given)}}
}

// The shortest and the longest time for which a client stands still, in leases.
const (
	shortest = 0.001
	longest  = 2
)

// demandingHolder is the script: A works, looks at its clock, stands still, writes; B waits.
func demandingHolder(s *scene) {
	start, work := s.part(s.fraction(0, 0.5)), s.part(s.fraction(0, 1))
	still := s.part(shortest * math.Pow(longest/shortest, s.fraction(0, 1)))
	s.App("A", start, func(a *lab.App) {
		h := a.Lock()
		v, err := a.Read(h)
		a.Sleep(work)
		if err == nil && h.Left() > s.part(s.x) {
			s.writes++
			s.Pause("A", s.Now()+still)
			_ = a.Write(h, v.Next()) // the outcome of the run says whether it was stale, and taken
		} else {
			s.given++
		}
		h.Release()
	})
	s.Client("B", lab.Job{Start: start + s.part(s.fraction(0.15, 0.2)), Work: s.part(s.fraction(0.125, 0.25)), Careless: true})
}
