package experiment

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/sim/cell"
)

// If each seed has at most one event, the interval is that of a share of seeds, which the binomial
// distribution gives: for 10 events in 40 seeds, 5 to 16 of 40 (its 2.5 and 97.5 % quantiles).
func TestTheIntervalIsOfSeeds(t *testing.T) {
	part, whole := make([]uint64, 40), make([]uint64, 40)
	for i := range whole {
		whole[i] = 1
		if i%4 == 0 {
			part[i] = 1
		}
	}
	e := ratio(part, whole)
	require.InDelta(t, 0.25, e.Value, 1e-9)
	require.InDelta(t, 5.0/40, e.Interval[0], 1.01/40)
	require.InDelta(t, 16.0/40, e.Interval[1], 1.01/40)

	// A thousand equal events in each seed give no narrower interval than one.
	for i := range whole {
		part[i], whole[i] = 1000*part[i], 1000
	}
	require.Equal(t, e, ratio(part, whole))
}

func TestWhereResamplingCannotTell(t *testing.T) {
	require.Equal(t, Estimate{}, ratio(nil, nil))
	require.Equal(t, Estimate{}, ratio([]uint64{0, 0}, []uint64{0, 0}))
	require.Equal(t, Estimate{Value: 0.5}, ratio([]uint64{1}, []uint64{2}))
	require.Equal(t, Estimate{}, ratio([]uint64{0, 0, 0}, []uint64{9, 9, 9}), "none in any seed")
}

// Seeds without a value say nothing about it: five that have one are too few, however many others there are.
func TestSeedsWithoutValuesDoNotMakeAnInterval(t *testing.T) {
	for has, ends := range map[int]int{1: 0, 5: 0, 6: 2} {
		waits, part, whole := make([][]time.Duration, 100), make([]uint64, 100), make([]uint64, 100)
		for i := range has {
			waits[i], part[i], whole[i] = []time.Duration{time.Duration(i+1) * time.Second}, uint64(i+1), 10
		}
		require.Len(t, Quantile(waits, 50).Interval, ends, "%d seeds", has)
		require.Len(t, Ratio(part, whole).Interval, ends, "%d seeds", has)
		tally := NewTally(Experiment{Grid: []Place{{}}, Judge: func(*cell.Result) Verdict { return Miss }, Waits: func(r *cell.Result) []time.Duration { return waits[r.Seed] }})
		for seed := range waits {
			tally.Add(0, &cell.Result{Seed: uint64(seed)})
		}
		require.Len(t, tally.Points()[0].Waits.P90.Interval, ends, "%d seeds", has)
	}
}

// The same seeds give the same interval, in whatever order they were added.
func TestTheIntervalKnowsNoOrder(t *testing.T) {
	estimate := func(seeds []uint64) Estimate {
		tally := NewTally(fencing())
		for _, seed := range seeds {
			r := cell.Result{Seed: seed}
			r.Fence.Done = 100 + int(seed)
			if seed%5 == 0 {
				r.Fence.Lost = int(seed)
			}
			tally.Add(0, &r)
		}
		return *tally.Points()[0].Rate
	}
	var seeds []uint64
	for seed := range uint64(30) {
		seeds = append(seeds, seed)
	}
	first := estimate(seeds)
	require.Len(t, first.Interval, 2)
	require.True(t, first.Interval[0] < first.Value && first.Value < first.Interval[1])
	require.Equal(t, first, estimate(seeds))
	slices.Reverse(seeds)
	require.Equal(t, first, estimate(seeds))
}
