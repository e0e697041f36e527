package experiment

import (
	"testing"
	"time"

	"github.com/chubbycell/chubby/sim/cell"
	"github.com/stretchr/testify/require"
)

func TestDriftIsJudgedByS7Alone(t *testing.T) {
	e := drift()
	require.Equal(t, Miss, e.Judge(&cell.Result{}))
	require.Equal(t, Hit, e.Judge(&cell.Result{Breach: &cell.Breach{ID: "S7"}}))
	require.Equal(t, Void, e.Judge(&cell.Result{Breach: &cell.Breach{ID: "S4"}}))
	require.Len(t, e.Grid, 14)
	require.Equal(t, []string{"unaimed", "aimed"}, e.Series())
}

// Clocks that err too much also break properties of clients. Each of these seeds broke one early:
// the break is noted, and the seed is judged by what its replicas did until the end.
func TestDriftKeepsSeedsThatBreakOtherPromises(t *testing.T) {
	e := drift()
	tally := NewTally(e)
	noted := 0
	for place, p := range e.Grid {
		for _, seed := range []uint64{12, 39, 47} {
			if p.X != 2 {
				continue
			}
			o := p.Options
			o.Seed = seed
			r := cell.Run(o)
			tally.Add(place, &r)
			if len(r.Noted) > 0 {
				noted++
				require.True(t, r.Failed() || r.Simulated > time.Minute, "it went on")
			}
		}
	}
	require.Positive(t, noted)
	require.Empty(t, tally.Others())
	for _, p := range tally.Points() {
		require.Equal(t, p.Seeds, p.Judged)
		for _, n := range p.Noted {
			require.Equal(t, "S11", n.Property)
			noted -= n.Seeds
		}
	}
	require.Zero(t, noted, "they are counted, by property: here each breaks one")
}

// The experiment shows an effect: with clocks that err by four times the bound, two replicas may
// hold read authority at once; with clocks within the bound they never do.
func TestDriftMeasuresOverlaps(t *testing.T) {
	e := drift()
	tally := NewTally(e)
	for place, p := range e.Grid {
		if p.Series != "aimed" || p.X != 1 && p.X != 4 {
			continue
		}
		for seed := range uint64(8) {
			o := p.Options
			o.Seed = seed
			r := cell.Run(o)
			tally.Add(place, &r)
		}
	}
	for _, p := range tally.Points() {
		switch {
		case p.Seeds == 0:
		case p.X == 1:
			require.Zero(t, p.Hits)
			require.Equal(t, 8, p.Judged, "nothing else breaks either")
		default:
			require.Positive(t, p.Hits)
		}
	}
}
