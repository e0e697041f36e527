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
// interval (percentile bootstrap). With few seeds such numbers lie too close together, so a few more
// of them than 95 % are taken, by Student's distribution (Hesterberg's expanded percentiles);
// below 6 seeds all of them would not do, for all seeds may lie on one side of the truth. Draws are keyed by resample alone, so the same seeds
// give the same interval, in whatever order they were added, and places of a grid
// with as many seeds are resampled alike.
const resamples = 2000

// Estimate is a number with its 95 % interval.
type Estimate struct {
	Value float64 `json:"value"`
	// Interval is its two ends. It is empty where it cannot be told: with fewer than six
	// seeds, or where no seed has any of the events that are counted.
	Interval []float64 `json:"interval,omitempty"`
}

// fewest seeds that have an interval.
const fewest = 6

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
	if n >= fewest && e.Value != 0 {
		e.Interval = interval(n, of)
	}
	return e
}

// interval resamples n seeds, and gives the interval of the number that of computes.
func interval(n int, of func(times []int) float64) []float64 {
	root, times := draw.New(0), make([]int, n)
	values := make([]float64, 0, resamples)
	for r := range uint64(resamples) {
		clear(times)
		s := root.Stream("experiment.resample", r)
		for range n {
			times[s.Int(n)]++
		}
		if v := of(times); !math.IsNaN(v) {
			values = append(values, v)
		}
	}
	if len(values) == 0 {
		return nil
	}
	slices.Sort(values)
	cut := int(float64(len(values)) * beyond(n))
	return []float64{values[cut], values[len(values)-1-cut]}
}

// beyond is the share of resamples of n seeds beyond either end of the interval: near 2.5 % of many
// seeds, 0.2 % of 6.
func beyond(n int) float64 {
	const z = 1.959964 // and Student's quantile from it, by the first terms of its series
	free := float64(n - 1)
	t := z + (z*z*z+z)/(4*free) + (5*math.Pow(z, 5)+16*z*z*z+3*z)/(96*free*free) + (3*math.Pow(z, 7)+19*math.Pow(z, 5)+17*z*z*z-15*z)/(384*free*free*free)
	return math.Erfc(t*math.Sqrt(float64(n)/free)/math.Sqrt2) / 2
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
