package experiment

import (
	"math"
	"math/bits"
	"slices"
	"sort"

	"github.com/chubbycell/chubby/internal/draw"
)

// If two sides do not differ, they can be exchanged in any seed: A could as well be B. So a
// difference may be chance unless it is among the largest 5 % of the differences that exchanging
// the sides in some seeds gives (sign-flip test). This is exact for any number of seeds and any
// distribution of values, while resampling needs many seeds. Below 6 seeds no difference can be
// among the largest 5 %: of the 32 ways to exchange 5 seeds, 2 are 6 %.
//
// An interval contains the shifts that this test does not reject: those for which A and B minus the
// shift may differ by chance.

// swap has the values of two sides, by seed. Its methods compare how far the values of each side
// lie above the mean or quantile of both sides together. That is a sum over seeds, so 2,000 ways to
// exchange sides are computed quickly.
type swap struct {
	a, b    *pool
	percent int // of the quantile; 0: the mean
	flips   flips
}

// flips are ways to exchange sides, with a bit for each seed.
type flips [resamples][]uint64

func newSwap(a, b [][]float64, percent int) *swap {
	s := &swap{a: newPool(a), b: newPool(b), percent: percent}
	root := draw.New(0)
	for r := range s.flips {
		bits := root.Stream("experiment.swap", uint64(r))
		for range (len(a) + 63) / 64 {
			s.flips[r] = append(s.flips[r], bits.Uint64())
		}
	}
	return s
}

// leans returns for each seed how far A lies above B minus less.
func (s *swap) leans(less float64) []float64 {
	all := make([]float64, len(s.a.of))
	if s.percent == 0 {
		na, nb := float64(len(s.a.all)), float64(len(s.b.all))
		sum := -less * nb
		for i := range all {
			sum += s.a.sum[i] + s.b.sum[i]
		}
		mean := sum / (na + nb)
		for i := range all {
			ka, kb := float64(len(s.a.of[i])), float64(len(s.b.of[i]))
			all[i] = s.a.sum[i] - mean*ka - (s.b.sum[i] - (less+mean)*kb)
		}
		return all
	}
	at := s.quantile(less)
	for i := range all {
		a, b := s.a.of[i], s.b.of[i]
		below := sort.Search(len(a), func(j int) bool { return a[j] > at }) - sort.Search(len(b), func(j int) bool { return b[j]-less > at })
		all[i] = float64(s.percent*(len(a)-len(b)) - 100*below)
	}
	return all
}

// quantile returns the quantile of A and of B minus less, together.
func (s *swap) quantile(less float64) float64 {
	a, b := s.a.all, s.b.all
	rank := (s.percent*(len(a)+len(b)) + 99) / 100
	from, to := max(0, rank-len(b)), min(rank, len(a))
	ofA := from + sort.Search(to-from, func(j int) bool { i := from + j; return a[i] >= b[rank-i-1]-less })
	at := math.Inf(-1)
	if ofA > 0 {
		at = a[ofA-1]
	}
	if ofA < rank {
		at = max(at, b[rank-ofA-1]-less)
	}
	return at
}

// rejects reports whether A and B minus less differ by more than chance.
func (s *swap) rejects(less float64) bool {
	leans := s.leans(less)
	total, size, some := 0.0, 0.0, []float64{}
	for _, d := range leans {
		total, size = total+d, size+math.Abs(d)
		if d != 0 {
			some = append(some, d)
		}
	}
	least := math.Abs(total) - 1e-9*size // sums in another order may differ a little
	// 1<<others would be 0 for 64 others, so others is compared.
	if others := max(0, len(some)-1); others < bits.Len(resamples) {
		return exactly(some, 1<<others, least)
	}
	most := resamples/20 - 1 // the observed way counts as one more
	for _, flip := range s.flips {
		sum := total
		for word, set := range flip {
			for ; set != 0; set &= set - 1 {
				if i := 64*word + bits.TrailingZeros64(set); i < len(leans) {
					sum -= 2 * leans[i]
				}
			}
		}
		if math.Abs(sum) >= least {
			if most--; most < 0 {
				return false
			}
		}
	}
	return true
}

// exactly tries all ways to exchange sides in which the first seed is not exchanged; the others are
// their mirror images.
func exactly(leans []float64, ways int, least float64) bool {
	as := 0
	for way := range ways {
		sum := 0.0
		for i, d := range leans {
			if i > 0 && way>>(i-1)&1 == 1 {
				d = -d
			}
			sum += d
		}
		if math.Abs(sum) >= least {
			as++
		}
	}
	return float64(as) <= float64(ways)/20
}

// interval returns the interval of the difference B minus A, whose estimate is value. It returns
// nil if no shift at all is rejected, because there are too few seeds. The interval excludes 0 only
// if 0 is rejected, and does not exceed the largest differences between observed values.
func (s *swap) interval(value float64) []float64 {
	a, b := s.a.all, s.b.all
	least, most := min(value, b[0]-a[len(a)-1]), max(value, b[len(b)-1]-a[0]) // between two observed values
	beyond := 1 + most - least
	low, foundLow := s.end(value, least-beyond)
	high, foundHigh := s.end(value, most+beyond)
	if !foundLow && !foundHigh {
		return nil
	}
	if !foundLow {
		low = least
	}
	if !foundHigh {
		high = most
	}
	return []float64{low, high}
}

// end searches for the end of the interval, between in, a shift within the interval, and border. It
// finds none if border is not rejected.
func (s *swap) end(in, border float64) (_ float64, found bool) {
	out := border
	if (in < 0) != (border < 0) && in != 0 { // test 0 itself
		if s.rejects(0) {
			out, found = 0, true
		} else {
			in = 0
		}
	}
	for step := (border - in) / 1024; !found && math.Abs(step) < math.Abs(border-in); step *= 2 {
		if found = s.rejects(in + step); found {
			out = in + step
		} else {
			in += step
		}
	}
	if !found && !s.rejects(border) {
		return border, false
	}
	for range 20 {
		middle := in + (out-in)/2
		if s.rejects(middle) {
			out = middle
		} else {
			in = middle
		}
	}
	return in, true
}

// hits are for two sides on which each seed has one value, 1 or 0: the number of seeds, by their
// values on A and on B.
type hits [2][2]int

// hitsOf returns the hits of two sides. ok is false if some seed has other values.
func hitsOf(sides [2][][]float64) (s hits, ok bool) {
	for i := range sides[A] {
		var hit [2]int
		for side := range hit {
			switch v := sides[side][i]; {
			case len(v) != 1 || v[0] != 0 && v[0] != 1:
				return s, false
			default:
				hit[side] = int(v[0])
			}
		}
		s[hit[A]][hit[B]]++
	}
	return s, len(sides[A]) > 0
}

// intervals returns the intervals of A, of B, and of B minus A: Wilson's for the sides, and from
// them Newcombe's for pairs (his method 10). The last one excludes 0 only if differs is true.
func (s hits) intervals(differs bool) [][]float64 {
	neither, onlyB, onlyA, both := float64(s[0][0]), float64(s[0][1]), float64(s[1][0]), float64(s[1][1])
	n := neither + onlyB + onlyA + both
	a, b := (both+onlyA)/n, (both+onlyB)/n
	lowA, highA := wilson(int(both+onlyA), int(n))
	lowB, highB := wilson(int(both+onlyB), int(n))
	common := both*neither - onlyA*onlyB
	if common > 0 {
		common = max(0, common-n/2)
	}
	if scale := (both + onlyA) * (neither + onlyB) * (both + onlyB) * (neither + onlyA); scale > 0 {
		common /= math.Sqrt(scale)
	} else {
		common = 0
	}
	far := func(x, y float64) float64 { return math.Sqrt(max(0, x*x-2*common*x*y+y*y)) }
	of := []float64{b - a - far(b-lowB, highA-a), b - a + far(highB-b, a-lowA)}
	if !differs {
		of[0], of[1] = min(0, of[0]), max(0, of[1])
	}
	return [][]float64{{lowA, highA}, {lowB, highB}, of}
}

// alike reports whether each seed has the same values on both sides.
func alike(sides [2][][]float64) bool {
	return slices.EqualFunc(sides[A], sides[B], func(a, b []float64) bool { return slices.Equal(a, b) })
}
