package experiment

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/internal/draw"
	"github.com/chubbycell/chubby/sim/cell"
	"github.com/chubbycell/chubby/sim/plan"
)

var oneColumn = []Column{{Name: "waited p50", Of: "wait", Percent: 50, Form: Seconds}, {Name: "mean wait", Of: "wait", Form: Seconds}}

func numbers(seed uint64) *draw.Stream {
	s := draw.New(seed).Stream("compare.test", 0)
	return &s
}

// drawn compares n seeds. Each seed shifts the values of both sides alike, and those of B are
// larger by more.
func drawn(r *draw.Stream, n int, more float64) *Comparison {
	share := func() float64 { return float64(r.Int(1_000_000)) / 1_000_000 }
	c := NewComparison("a", "b", oneColumn)
	for seed := range uint64(n) {
		common := 10 * share()
		for side, plus := range []float64{0, more} {
			values := []float64{}
			for range 5 {
				values = append(values, common+share()+plus)
			}
			c.Add(Side(side), Sample{Seed: seed, Values: map[string][]float64{"wait": values}})
		}
	}
	return c
}

// A difference is found although seeds differ from each other by much more, and its interval
// contains it.
func TestADifferenceIsFoundAmongSeedsThatDifferMore(t *testing.T) {
	rows := drawn(numbers(1), 60, 0.5).Compare()
	mean := rows[1]
	require.True(t, mean.Differs)
	require.Less(t, mean.Difference.Interval[0], 0.5)
	require.Greater(t, mean.Difference.Interval[1], 0.5)
	require.Greater(t, mean.A.Interval[1]-mean.A.Interval[0], 3*(mean.Difference.Interval[1]-mean.Difference.Interval[0]), "pairs have the common part out")
}

func TestPairsThatBrokeAreComparedByViolationsAlone(t *testing.T) {
	c := NewComparison("as it is", "with a bug", []Column{{Name: "violations", Of: "violation", Form: PerCent, Always: true}, {Name: "calls", Of: "calls"}})
	for seed := range uint64(8) {
		c.Add(A, Sample{Seed: seed, Values: map[string][]float64{"violation": {0}, "calls": {10}}})
		b := Sample{Seed: seed, Values: map[string][]float64{"violation": {0}, "calls": {11}}}
		if seed == 2 {
			b.Broke, b.Text, b.Values["violation"] = "S1", "two values", []float64{1}
		}
		c.Add(B, b)
	}
	c.Add(A, Sample{Seed: 90, Values: map[string][]float64{"violation": {1}}}) // B has not run it
	all, whole := c.Pairs()
	require.Equal(t, []int{8, 7}, []int{all, whole})
	require.Equal(t, []Broken{{"B", 2, "S1", "two values"}}, c.Broken())
	rows := c.Compare()
	require.Equal(t, []float64{0, 0.125, 1, 7}, []float64{rows[0].A.Value, rows[0].B.Value, rows[1].Difference.Value, float64(rows[1].Pairs)})
	require.True(t, rows[1].Differs)
	var table, list, picture strings.Builder
	require.NoError(t, c.WriteTable(&table, rows))
	require.Contains(t, table.String(), "8 paired seeds; in 7 of them nothing broke on either side")
	require.NoError(t, c.WriteCSV(&list))
	require.Contains(t, list.String(), "2,,S1,0,1,10,\n")
	require.NoError(t, c.WriteSVG(&picture, rows, "c0ffee"))
	require.Contains(t, picture.String(), "B: with a bug")
	require.Contains(t, picture.String(), "commit c0ffee")
}

func TestNothingIsSaidOfNothing(t *testing.T) {
	c := NewComparison("a", "b", CellColumns())
	rows := c.Compare()
	for _, r := range rows {
		require.False(t, r.Differs)
	}
	var table strings.Builder
	require.NoError(t, c.WriteTable(&table, rows))
	require.Contains(t, table.String(), "0 paired seeds")
	require.NoError(t, c.WriteSVG(&table, rows, ""))
}

// A misspelt Of is told from a column whose values did not occur.
func TestAColumnOfAnUnknownNameSaysSo(t *testing.T) {
	c := NewComparison("a", "b", []Column{{Name: "gap", Of: "gps"}, {Name: "seldom", Of: "seldom"}})
	for seed := range uint64(3) {
		for _, side := range []Side{A, B} {
			c.Add(side, Sample{Seed: seed, Values: map[string][]float64{"gap": {1}, "seldom": nil}})
		}
	}
	rows := c.Compare()
	require.Equal(t, `no values named "gps"`, rows[0].NoInterval)
	require.Empty(t, rows[1].NoInterval)
	var table strings.Builder
	require.NoError(t, c.WriteTable(&table, rows))
	require.Contains(t, table.String(), `no values named "gps"`)
}

// Measurements of the cell: longer master leases make fail-overs longer, and a side compared with
// itself does not differ.
func TestLeasesOfMastersAreSeenInFailOvers(t *testing.T) {
	o := plan.Options{Replicas: 3, Clients: 3, Workload: "mixed", Faults: []string{"crash-leader"}, Duration: 30 * time.Second}
	sides := map[Side]string{A: "1s", B: "6s"}
	c, same := NewComparison("1s", "6s", CellColumns()), NewComparison("1s", "1s", CellColumns())
	for seed := range uint64(6) {
		for _, side := range []Side{A, B} {
			o.Seed, o.Tune = seed, []string{"master-lease=" + sides[side]}
			s := Measure(cell.Run, o)
			require.Empty(t, s.Broke, s.Text)
			c.Add(side, s)
			if side == A {
				same.Add(A, s)
				same.Add(B, Measure(cell.Run, o))
			}
		}
	}
	found := map[string]Compared{}
	for _, r := range c.Compare() {
		found[r.Name] = r
	}
	require.True(t, found["fail-over p50"].Differs, fmt.Sprint(found["fail-over p50"]))
	require.Greater(t, found["fail-over p50"].Difference.Value, 2.0)
	for _, r := range same.Compare() {
		require.False(t, r.Differs)
		require.Zero(t, r.Difference.Value)
	}
}

// A number that only one seed has shows nothing about other seeds: it has no interval and no star,
// however many seeds ran.
func TestANumberOfOneSeedHasNoInterval(t *testing.T) {
	c := NewComparison("a", "b", []Column{{Name: "wait", Of: "wait"}, {Name: "p50", Of: "wait", Percent: 50}})
	for seed := range uint64(20) {
		a, b := Sample{Seed: seed}, Sample{Seed: seed}
		if seed < 2 {
			a.Values = map[string][]float64{"wait": {1, 1}}
		}
		if seed == 0 {
			b.Values = map[string][]float64{"wait": {2}}
		}
		c.Add(A, a)
		c.Add(B, b)
	}
	for _, r := range c.Compare() {
		require.Equal(t, Estimate{Value: 1}, r.A, r.Name)
		require.Equal(t, Estimate{Value: 2}, r.B, r.Name)
		require.Equal(t, Estimate{Value: 1}, r.Difference, r.Name)
		require.False(t, r.Differs, r.Name)
		require.Equal(t, tooFew, r.NoInterval, r.Name)
	}
}
