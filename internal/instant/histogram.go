package instant

import (
	"iter"
	"math/bits"
	"time"
)

// Histogram counts durations by size, in buckets of which each reaches twice as far as the one
// below: 62.5 us, 125 us, ... 8.192 s, and one for all that is longer. The zero Histogram is empty.
// A copy is independent of the original.
type Histogram struct {
	counts [histogramBounds + 1]uint64
	sum    time.Duration
}

const (
	histogramFirst  = 62500 * time.Nanosecond
	histogramBounds = 18
)

// Add counts a duration. One below 0, which a clock that was set back can show, counts as 0.
func (h *Histogram) Add(d time.Duration) {
	d = max(0, d)
	h.sum += d
	// The bucket of d is the smallest k with d <= histogramFirst<<k.
	h.counts[min(bits.Len64(uint64(max(0, d-1)/histogramFirst)), histogramBounds)]++
}

// Count returns how many durations were added.
func (h *Histogram) Count() (n uint64) {
	for _, c := range h.counts {
		n += c
	}
	return n
}

// Sum returns the sum of the durations that were added.
func (h *Histogram) Sum() time.Duration { return h.sum }

// Bounds yields each upper bound, in ascending order, and how many of the durations were at most as long.
// Those longer than the last bound are only in Count.
func (h *Histogram) Bounds() iter.Seq2[time.Duration, uint64] {
	return func(yield func(time.Duration, uint64) bool) {
		var below uint64
		for k := range histogramBounds {
			below += h.counts[k]
			if !yield(histogramFirst<<k, below) {
				return
			}
		}
	}
}
