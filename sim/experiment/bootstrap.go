package experiment

import (
	"math"
	"slices"

	"github.com/chubbycell/chubby/internal/draw"
)

// Events of one seed are not independent: one cell that was unlucky may lose a hundred
// updates. So where a rate of events is shown, or a quantile of them, its interval is
// of seeds: as many seeds as there are get drawn with replacement, each with all its
// events, the number is computed anew, and 95 % of 2,000 such numbers lie in the
// interval (percentile bootstrap). Draws are keyed by resample alone, so the same seeds
// give the same interval, in whatever order they were added, and places of a grid
// with as many seeds are resampled alike.
const resamples = 2000

// Estimate is a number with its 95 % interval.
type Estimate struct {
	Value float64 `json:"value"`
	// Interval is its two ends. It is empty where resampling cannot tell: with fewer
	// than two seeds, or where no seed has any of the events that are counted.
	Interval []float64 `json:"interval,omitempty"`
}

// bootstrap estimates a number of n seeds. of computes it, given how often each seed
// is taken; NaN where it is not defined, and that resample does not count.
func bootstrap(n int, of func(times []int) float64) Estimate {
	times := make([]int, n)
	for i := range times {
		times[i] = 1
	}
	e := Estimate{Value: of(times)}
	if math.IsNaN(e.Value) {
		return Estimate{}
	}
	if n < 2 || e.Value == 0 {
		return e
	}
	e.Interval = interval(n, func(times []int) []float64 { return []float64{of(times)} })[0]
	return e
}

// interval resamples n seeds, and gives the interval of each number that of computes; nil of
// one that is not defined in any resample.
func interval(n int, of func(times []int) []float64) [][]float64 {
	root, times := draw.New(0), make([]int, n)
	var all [][]float64 // by number
	for r := range uint64(resamples) {
		clear(times)
		s := root.Stream("experiment.resample", r)
		for range n {
			times[s.Int(n)]++
		}
		for i, v := range of(times) {
			if r == 0 {
				all = append(all, make([]float64, 0, resamples))
			}
			if !math.IsNaN(v) {
				all[i] = append(all[i], v)
			}
		}
	}
	ends := make([][]float64, len(all))
	for i, values := range all {
		if len(values) > 0 {
			slices.Sort(values)
			cut := len(values) / 40 // 2.5 % at either end
			ends[i] = []float64{values[cut], values[len(values)-1-cut]}
		}
	}
	return ends
}

// ratio estimates the sum of part over the sum of whole, given both by seed.
func ratio(part, whole []uint64) Estimate {
	return bootstrap(len(part), func(times []int) float64 {
		var p, w uint64
		for i, k := range times {
			p += uint64(k) * part[i]
			w += uint64(k) * whole[i]
		}
		return float64(p) / float64(w) // NaN of nothing in nothing
	})
}
