package draw

import (
	"math/bits"
	"time"
)

// Stream is the sequence of draws of one entity at one site. It is owned by
// that entity; a copy goes on from the same counter and draws the same numbers.
type Stream struct{ key, n uint64 }

// Count is how many draws were made.
func (t *Stream) Count() uint64 { return t.n }

// Seek goes on with draw n of the stream, counted from 0.
func (t *Stream) Seek(n uint64) { t.n = n }

// Uint64 is the next draw, uniform over all 64-bit numbers.
func (t *Stream) Uint64() uint64 {
	x := mix(t.key + t.n*golden)
	t.n++
	return x
}

// N is uniform over [0, n). It panics for n = 0, where there is nothing to draw.
func (t *Stream) N(n uint64) uint64 {
	if n == 0 {
		panic("draw: N(0)")
	}
	return reduce(t.Uint64(), n)
}

// Int is uniform over [0, n), for n > 0.
func (t *Stream) Int(n int) int {
	if n <= 0 {
		panic("draw: Int of nothing")
	}
	return int(t.N(uint64(n)))
}

// Between is uniform over [lo, hi], both ends included; lo <= hi.
func (t *Stream) Between(lo, hi int64) int64 {
	if lo > hi {
		panic("draw: Between an empty range")
	}
	return lo + int64(t.N(uint64(hi-lo)+1))
}

// Duration is uniform over [lo, hi], both ends included; lo <= hi.
func (t *Stream) Duration(lo, hi time.Duration) time.Duration {
	return time.Duration(t.Between(int64(lo), int64(hi)))
}

// Chance is true num times out of den.
func (t *Stream) Chance(num, den uint64) bool { return t.N(den) < num }

// LogUniform is spread evenly over the orders of magnitude (powers of two) of
// [lo, hi], for 0 < lo <= hi: intensities of faults and sizes of pages want
// small values as often as large ones.
func (t *Stream) LogUniform(lo, hi int64) int64 {
	if lo <= 0 || lo > hi {
		panic("draw: LogUniform outside 0 < lo <= hi")
	}
	first, last := bits.Len64(uint64(lo)), bits.Len64(uint64(hi))
	octave := first + t.Int(last-first+1)
	from, to := int64(1)<<(octave-1), int64(1)<<(octave-1)|(int64(1)<<(octave-1)-1)
	return t.Between(max(from, lo), min(to, hi))
}

// Weighted picks an index with a probability proportional to its weight. At
// least one weight must be above zero.
func (t *Stream) Weighted(weights []uint32) int {
	var sum uint64
	for _, w := range weights {
		sum += uint64(w)
	}
	x := t.N(sum)
	for i, w := range weights {
		if x < uint64(w) {
			return i
		}
		x -= uint64(w)
	}
	panic("draw: weights changed under Weighted")
}

// Perm is a random order of [0, n).
func (t *Stream) Perm(n int) []int {
	p := make([]int, n)
	for i := range p {
		j := t.Int(i + 1)
		p[i] = p[j]
		p[j] = i
	}
	return p
}
