package experiment

import (
	"math"
	"slices"
)

// pool has the values of several seeds, some of which may have none, for computing numbers of
// resamples.
type pool struct {
	all []float64   // ascending
	of  [][]float64 // of each seed, ascending
	sum []float64   // of each seed
}

func newPool(bySeed [][]float64) *pool {
	p := &pool{sum: make([]float64, len(bySeed))}
	for i, values := range bySeed {
		own := slices.Sorted(slices.Values(values))
		for _, v := range own {
			p.sum[i] += v
		}
		p.of, p.all = append(p.of, own), append(p.all, own...)
	}
	slices.Sort(p.all)
	return p
}

// seeds returns how many seeds have values.
func (p *pool) seeds() (n int) {
	for _, own := range p.of {
		n += min(1, len(own))
	}
	return n
}

// mean returns the mean of all values, with each seed taken times[seed] times, or NaN if there are
// none.
func (p *pool) mean(times []int) float64 {
	sum, n := 0.0, 0
	for i, k := range times {
		sum += float64(k) * p.sum[i]
		n += k * len(p.of[i])
	}
	return sum / float64(n)
}

// quantile returns the smallest value that at least percent % of the values do not exceed, with
// each seed taken times[seed] times, or NaN if there are none.
func (p *pool) quantile(times []int, percent int) float64 {
	total := 0
	for i, k := range times {
		total += k * len(p.of[i])
	}
	if total == 0 {
		return math.NaN()
	}
	at, _ := slices.BinarySearchFunc(p.all, 0, func(v float64, _ int) int {
		below := 0
		for i, k := range times {
			if k > 0 {
				n, _ := slices.BinarySearchFunc(p.of[i], v, func(w, v float64) int {
					if w <= v {
						return -1
					}
					return 1
				})
				below += k * n
			}
		}
		if 100*below >= percent*total {
			return 1
		}
		return -1
	})
	return p.all[at]
}
