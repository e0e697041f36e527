package experiment

import (
	"flag"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/internal/draw"
)

var whole = flag.Bool("whole", false, "try the large samples of chance, too, as .ci/run does: ten seconds more")

// sizes are the numbers of seeds that a test tries, and with -whole the large ones, too.
func sizes(few, large []int) []int {
	if *whole {
		return slices.Concat(few, large)
	}
	return few
}

// chanceColumns are the columns for the samples of chance.
var chanceColumns = []Column{
	{Name: "normal", Of: "normal"}, {Name: "heavy", Of: "heavy"},
	{Name: "p50", Of: "calls", Percent: 50}, {Name: "p90", Of: "calls", Percent: 90},
	{Name: "share", Of: "hit", Form: PerCent, Always: true},
}

// chance compares n seeds of two sides that differ only by the shift of B. Seeds differ from each
// other. The heavy numbers have a distribution whose largest value is most of the sum. Calls of
// some seeds take much longer.
func chance(r *draw.Stream, n int, shift float64) *Comparison {
	uniform := func() float64 { return (float64(r.Uint64()>>11) + 0.5) / (1 << 53) }
	normal := func() float64 { return math.Sqrt(-2*math.Log(uniform())) * math.Cos(2*math.Pi*uniform()) }
	long := func() float64 { return -math.Log(uniform()) }
	c := NewComparison("a", "b", chanceColumns)
	for seed := range uint64(n) {
		common := 3 * normal()
		for _, side := range []Side{A, B} {
			plus := shift * float64(side)
			own := normal()
			v := map[string][]float64{"normal": {10 + common + own + plus}, "heavy": {long()*long()*long() + plus}, "hit": {0}}
			for range 30 {
				v["calls"] = append(v["calls"], long()*(1+own*own)+plus)
			}
			if uniform() < 0.4 {
				v["hit"] = []float64{1}
			}
			c.Add(side, Sample{Seed: seed, Values: v})
		}
	}
	return c
}

// If the sides do not differ, at most one of twenty columns is expected to have a star, however few
// seeds there are and whatever the distribution of values. Of 300 comparisons, 15 stars in a column
// are then expected at most, and more than 26 have a chance of 1 in 1,000. From ten seeds on there
// must also be some stars, so the test is not too strict.
func TestAtMostOneOfTwentyColumnsThatAreAlikeHasAStar(t *testing.T) {
	const times, most, least = 300, 26, 3
	for _, n := range sizes([]int{3, 5, 6, 10, 20, 64}, []int{50, 100}) { // from 64 on, the number of ways to exchange sides does not fit into an int
		r, stars := numbers(uint64(n)), map[string]int{}
		for range times {
			all := chance(r, n, 0).all()
			for _, col := range chanceColumns {
				if starred(col, all) {
					stars[col.Name]++
				}
			}
		}
		t.Logf("%d seeds: %v", n, stars)
		for _, col := range chanceColumns {
			require.LessOrEqual(t, stars[col.Name], most, "%s of %d seeds", col.Name, n)
			switch {
			case n < fewest:
				require.Zero(t, stars[col.Name], "%s of %d seeds", col.Name, n)
			case n >= 20 || n == 10 && col.Name != "share": // of ten pairs of shares, six rarely differ
				require.GreaterOrEqual(t, stars[col.Name], least, "%s of %d seeds", col.Name, n)
			}
		}
	}
}

// starred reports whether 0 is rejected, without the work of finding the ends of an interval.
func starred(col Column, pairs [][2]*Sample) bool { return swapOf(col, pairs).rejects(0) }

func swapOf(col Column, pairs [][2]*Sample) *swap {
	var sides [2][][]float64
	for _, p := range pairs {
		for side := range sides {
			sides[side] = append(sides[side], p[side].Values[col.Of])
		}
	}
	return newSwap(sides[A], sides[B], col.Percent)
}

// An interval contains the true difference in 95 of 100 comparisons, and excludes 0 if there is a
// star.
func TestIntervalsHaveTheDifferenceWithinAsOftenAsTheySay(t *testing.T) {
	for _, n := range sizes([]int{6, 10, 30}, []int{80}) {
		const times, most, shift = 100, 12, 2 // 5 are expected
		r := numbers(uint64(100 + n))
		without := map[string]int{}
		for range times {
			all := chance(r, n, shift).all()
			for _, col := range chanceColumns[:4] {
				s := swapOf(col, all)
				once := slices.Repeat([]int{1}, n)
				value := col.of(s.b, once) - col.of(s.a, once)
				d := s.interval(value)
				if d == nil {
					continue
				}
				require.LessOrEqual(t, d[0], value)
				require.GreaterOrEqual(t, d[1], value)
				require.Equal(t, s.rejects(0), d[0] > 0 || d[1] < 0, "%s of %d seeds: %v", col.Name, n, d)
				if d[0] > shift || d[1] < shift {
					without[col.Name]++
				}
			}
		}
		t.Logf("%d seeds: %v", n, without)
		for name, wrong := range without {
			require.LessOrEqual(t, wrong, most, "%s of %d seeds", name, n)
		}
	}
}

// Three seeds without a break do not show that a change is harmless: more than half of all seeds
// might break.
func TestAShareOfNoSeedHasAnInterval(t *testing.T) {
	c := NewComparison("a", "b", CellColumns())
	for seed := range uint64(3) {
		for _, side := range []Side{A, B} {
			c.Add(side, Sample{Seed: seed, Values: map[string][]float64{"violation": {0}, "unknown": {0}, "failovers": {0}, "calls": {float64(seed) + float64(side)}}})
		}
	}
	rows := map[string]Compared{}
	for _, r := range c.Compare() {
		rows[r.Name] = r
	}
	for _, name := range []string{"seeds with a violation", "outcome unknown"} {
		r := rows[name]
		require.InDeltaSlice(t, []float64{0, 0.5615}, r.A.Interval, 1e-4)
		require.InDeltaSlice(t, []float64{-0.5615, 0.5615}, r.Difference.Interval, 1e-4)
	}
	require.Equal(t, sameInAll, rows["fail-overs"].NoInterval)
	require.Equal(t, tooFew, rows["calls/s"].NoInterval)
	require.Empty(t, rows["calls/s"].Difference.Interval)
}

// The values are from Newcombe's example for pairs (Statistics in Medicine 17, 1998, table III: 36,
// 12, 2 and 0 pairs; method 10).
func TestTheIntervalOfPairedSharesIsNewcombes(t *testing.T) {
	of := hits{{0, 2}, {12, 36}}.intervals(true)[2]
	require.InDeltaSlice(t, []float64{-0.3404, -0.0569}, of, 1e-4)
}

// Six seeds are the fewest for which a difference can be more than chance: only 2 of 64 ways to
// change places give one as large.
func TestSixSeedsAreTheFewestForAStar(t *testing.T) {
	for n, want := range map[int]bool{5: false, 6: true} {
		a, b := make([][]float64, n), make([][]float64, n)
		for i := range a {
			a[i], b[i] = []float64{float64(i)}, []float64{float64(i) + 1}
		}
		require.Equal(t, want, newSwap(a, b, 0).rejects(0), "%d seeds", n)
	}
	require.InDelta(t, math.Erfc(2.5706*math.Sqrt(6.0/5)/math.Sqrt2)/2, beyond(6), 1e-4, "Student's 2.5706 with 5 degrees")
	require.InDelta(t, 0.025, beyond(10_000), 1e-4)
}
