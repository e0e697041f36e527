package experiment

import (
	"cmp"
	"slices"
	"time"

	"github.com/chubbycell/chubby/sim/cell"
)

// sample is the outcome of one judged seed in one place of the grid.
type sample struct {
	seed    uint64
	verdict Verdict
	sums    []cell.Number
	waits   []time.Duration
}

// samples returns the samples of a place, in the order of seeds.
func (t *Tally) samples(place int) []sample {
	return slices.SortedFunc(slices.Values(t.said[place]), func(a, b sample) int { return cmp.Compare(a.seed, b.seed) })
}

// rate estimates Experiment.Rate, or returns nil if the experiment has none.
func (t *Tally) rate(all []sample) *Estimate {
	r := t.e.Rate
	if r == nil {
		return nil
	}
	e := ratio(column(all, r.Part), column(all, r.Whole))
	return &e
}

// column returns the sum with this name in each sample.
func column(all []sample, name string) []uint64 {
	of := make([]uint64, len(all))
	for i, s := range all {
		for _, n := range s.sums {
			if n.Name == name {
				of[i] = n.Value
			}
		}
	}
	return of
}
