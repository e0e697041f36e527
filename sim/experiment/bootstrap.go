package experiment

import (
	"math"
	"slices"

	"github.com/chubbycell/chubby/internal/draw"
)

// Events of one seed are not independent: one unlucky cell may lose a hundred updates. The interval
// of a rate or of a quantile of events therefore comes from resampling seeds (percentile
// bootstrap). As many seeds as there are get drawn with replacement, each with all its events, and
// the number is computed anew; the interval contains 95 % of 2,000 such numbers. With few seeds
// these numbers lie too close together, so the interval contains a few more of them, by Student's
// distribution (Hesterberg's expanded percentiles). Below 6 seeds not even all of them would be
// enough, since all seeds may lie on one side of the truth. Draws are keyed only by the number of
// the resample. So the same seeds give the same interval, in whatever order they were added, and
// places of a grid with equally many seeds are resampled alike.
const resamples = 2000

// Estimate is a number with its 95 % interval.
type Estimate struct {
	Value float64 `json:"value"`
	// Interval is the two ends of the interval. It is empty if it is not known: if fewer than six
	// seeds have values, or no seed has any of the counted events.
	Interval []float64 `json:"interval,omitempty"`
}

// fewest is the smallest number of seeds that has an interval.
const fewest = 6

// bootstrap estimates a number from n seeds, of which known have values. of computes the number,
// given how often each seed is taken. It returns NaN if the number is not defined; such a resample
// does not count.
func bootstrap(n, known int, of func(times []int) float64) Estimate {
	times := make([]int, n)
	for i := range times {
		times[i] = 1
	}
	e := Estimate{Value: of(times)}
	if math.IsNaN(e.Value) {
		return Estimate{}
	}
	if known >= fewest && e.Value != 0 {
		e.Interval = interval(n, of)
	}
	return e
}

// interval resamples n seeds, and returns the interval of the number that of computes.
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

// beyond returns the share of resamples of n seeds beyond each end of the interval: near 2.5 % for
// many seeds, 0.2 % for 6.
func beyond(n int) float64 {
	const z = 1.959964 // and Student's quantile from it, by the first terms of its series
	free := float64(n - 1)
	t := z + (z*z*z+z)/(4*free) + (5*math.Pow(z, 5)+16*z*z*z+3*z)/(96*free*free) + (3*math.Pow(z, 7)+19*math.Pow(z, 5)+17*z*z*z-15*z)/(384*free*free*free)
	return math.Erfc(t*math.Sqrt(float64(n)/free)/math.Sqrt2) / 2
}

// ratio estimates the sum of part over the sum of whole, given both by seed.
func ratio(part, whole []uint64) Estimate {
	known := 0
	for _, w := range whole {
		known += int(min(1, w))
	}
	return bootstrap(len(part), known, func(times []int) float64 {
		var p, w uint64
		for i, k := range times {
			p += uint64(k) * part[i]
			w += uint64(k) * whole[i]
		}
		return float64(p) / float64(w) // NaN for 0 in 0
	})
}
