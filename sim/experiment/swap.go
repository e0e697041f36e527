package experiment

import (
	"math"
	"math/bits"
	"slices"
	"sort"

	"github.com/chubbycell/chubby/internal/draw"
)

// Two sides that do not differ might change places in any seed: what is A there could as well be B.
// So a difference is chance if it is not among the largest 5 % of those that changing places in some
// seeds gives (sign-flip test). That holds for any number of seeds and any distribution of values,
// where resampling takes many seeds to be right. Below 6 seeds no difference can be so large:
// 2 of the 32 ways of 5 seeds are 6 %.
//
// An interval has the shifts in it that are no less likely than that: those by which B, less the
// shift, and A pass the test.

// swap is the values of two sides, by seed. What its methods compare is, of each side, how far its
// values lie above the number that both sides have together, the mean or a quantile: a sum
// of seeds, so 2,000 ways to change places are looked at in a moment.
type swap struct {
	a, b    *pool
	percent int // of the quantile; 0: the mean
	flips   flips
}

// flips are ways to change places: a bit for each seed.
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

// leans is, of each seed, how far A lies above B where B is shifted by less.
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

// quantile is that of both sides together, B shifted by less.
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

// rejects says that A and B, shifted by less, differ by more than chance.
func (s *swap) rejects(less float64) bool {
	leans := s.leans(less)
	total, size, some := 0.0, 0.0, []float64{}
	for _, d := range leans {
		total, size = total+d, size+math.Abs(d)
		if d != 0 {
			some = append(some, d)
		}
	}
	least := math.Abs(total) - 1e-9*size // sums in another order are not the same
	if ways := 1 << max(0, len(some)-1); ways <= resamples {
		return exactly(some, ways, least)
	}
	most := resamples/20 - 1 // the way that was seen is one more
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

// exactly looks at all ways to change places, in which the first seed stays: the others are their
// mirror images.
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

// interval is that of the difference B less A, whose estimate is value; nil where no shift at all is
// rejected: there are too few seeds. It leaves out 0 only where 0 is rejected, and reaches no farther than
// values lie apart.
func (s *swap) interval(value float64) []float64 {
	a, b := s.a.all, s.b.all
	least, most := min(value, b[0]-a[len(a)-1]), max(value, b[len(b)-1]-a[0]) // of two values that were seen
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

// end looks for the end of the interval between a shift that is in it and the border, if that is
// rejected.
func (s *swap) end(in, border float64) (_ float64, found bool) {
	out := border
	if (in < 0) != (border < 0) && in != 0 { // 0 is asked itself
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

// hits are two sides of which each seed has one value, 1 or 0: how many seeds, by what they say of A and
// of B.
type hits [2][2]int

// hitsOf are those of the values of two sides; not ok if they are others.
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

// intervals are those of A, B and B less A: Wilson's, and from them Newcombe's for pairs (his method
// 10), which leaves out 0 only where differs.
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

// alike says that each seed has the same values on both sides.
func alike(sides [2][][]float64) bool {
	return slices.EqualFunc(sides[A], sides[B], func(a, b []float64) bool { return slices.Equal(a, b) })
}
