package experiment

import (
	"testing"

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

// The experiment measures something: clocks that err four times as much as they
// may let two replicas hold read authority, clocks within the bound never do.
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
