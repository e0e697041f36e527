package sim

import (
	"math/bits"
	"time"

	"github.com/chubbycell/chubby/internal/draw"
)

// Draw is a sequence of keyed draws. The numbers depend only on the seed of the world, on the site
// and the entity given to World.Draw, and on how many numbers this Draw has drawn before. A new
// fault, or one decision fewer, therefore leaves all other decisions of a seed unchanged. A Draw
// has one owner; it is not safe for concurrent use.
type Draw struct {
	s    draw.Stream
	head *head // over a Tape; nil: the Draw has a stream of its own
}

// from returns the stream of the next draw.
func (d *Draw) from() *draw.Stream {
	if d.head == nil {
		return &d.s
	}
	return d.head.next()
}

// Uint64 draws uniformly from all 64-bit numbers.
func (d *Draw) Uint64() uint64 { return d.from().Uint64() }

// N draws uniformly from [0, n); it panics if n is 0.
func (d *Draw) N(n uint64) uint64 { return d.from().N(n) }

// Int draws uniformly from [0, n); it panics unless n > 0.
func (d *Draw) Int(n int) int { return d.from().Int(n) }

// Between draws uniformly from [lo, hi], both ends included.
func (d *Draw) Between(lo, hi int64) int64 { return d.from().Between(lo, hi) }

// Duration draws uniformly from [lo, hi], both ends included.
func (d *Draw) Duration(lo, hi time.Duration) time.Duration { return d.from().Duration(lo, hi) }

// Chance is true with probability num/den.
func (d *Draw) Chance(num, den uint64) bool { return d.from().Chance(num, den) }

// LogUniform draws evenly over the orders of magnitude of [lo, hi], for 0 < lo <= hi.
func (d *Draw) LogUniform(lo, hi int64) int64 { return d.from().LogUniform(lo, hi) }

// Weighted draws an index with a probability proportional to its weight.
func (d *Draw) Weighted(weights []uint32) int { return d.from().Weighted(weights) }

// Perm draws a random order of [0, n).
func (d *Draw) Perm(n int) []int { return d.from().Perm(n) }

// seek has the next draws of the streams depend on the present instant, if draws of links and disks do so
// in this world (Config.LinkDraws). At one instant they go on; *last is the one of the last call.
func seek(w *World, last *int64, streams ...*draw.Stream) {
	if w.cfg.LinkDraws == 0 || *last == w.timeline.now+1 {
		return
	}
	*last = w.timeline.now + 1 // 0: none yet
	for _, s := range streams {
		s.Seek(uint64(*last) << 8) // more draws than one instant has
	}
}

// Table is a distribution of durations, given by its quantiles in ascending order, evenly spaced. A
// draw picks one of the gaps between neighbours and is uniform within it: Table{lo, hi} is uniform,
// and a wide last gap is a long tail. The empty Table is always zero, Table{d} always d.
type Table []time.Duration

// pick draws from the table. It makes one draw, and none if there is nothing to decide.
func (t Table) pick(s *draw.Stream) int64 {
	switch len(t) {
	case 0:
		return 0
	case 1:
		return int64(t[0])
	}
	gap, part := bits.Mul64(s.Uint64(), uint64(len(t)-1))
	lo, hi := int64(t[gap]), int64(t[gap+1])
	off, _ := bits.Mul64(part, uint64(hi-lo)+1)
	return lo + int64(off)
}

// check panics on a table that is not a distribution of delays.
func (t Table) check(what string) {
	for i, d := range t {
		if d < 0 || i > 0 && d < t[i-1] {
			panic("sim: " + what + ": a Table holds delays in ascending order")
		}
	}
}
