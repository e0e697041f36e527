package experiment

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/sim/cell"
	"github.com/chubbycell/chubby/sim/resource"
)

func TestFencingIsJudgedByWhatWasLost(t *testing.T) {
	e := fencing()
	lost := cell.Result{Fence: resource.Count{Done: 5, Lost: 1, Refused: 2}}
	require.Equal(t, Hit, e.Judge(&lost))
	require.Equal(t, Miss, e.Judge(&cell.Result{}))
	require.Equal(t, Void, e.Judge(&cell.Result{Breach: &cell.Breach{ID: "S4"}}))
	lost.Breach = &cell.Breach{ID: "S10"}
	require.Equal(t, Hit, e.Judge(&lost), "it was lost, whatever else it breaks")
	require.Equal(t, []cell.Number{{Name: "increments", Value: 5}, {Name: "lost", Value: 1}, {Name: "refused", Value: 2}}, e.Sums(&lost))
	require.Len(t, e.Grid, 15)
	require.Len(t, e.Series(), 5)
}

// Seeds that show the effect: a server that checks nothing, or checks only writes, or asks the cell
// and then acts, loses updates. A server that also checks reads, or compares versions, loses none.
func TestFencingShowsWhichServersLoseUpdates(t *testing.T) {
	e := fencing()
	tally := NewTally(e)
	for place, p := range e.Grid {
		// For a server that may lose updates, one lost update is enough.
		enough := func() bool {
			p := tally.Points()[place]
			return p.Seeds > 0 && p.Sums[0].Value > 500 && (e.Grid[place].Options.Fence.Mode.Sound() || p.Hits > 0)
		}
		for seed := uint64(1); p.X == 1 && seed <= 8 && !enough(); seed++ {
			o := p.Options
			o.Seed = seed
			r := cell.Run(o)
			require.Nil(t, r.Breach, "%s, seed %d", p.Series, seed)
			tally.Add(place, &r)
		}
	}
	for i, p := range tally.Points() {
		if p.Seeds == 0 {
			continue
		}
		done, lost := p.Sums[0].Value, p.Sums[1].Value
		require.Greater(t, done, uint64(500), p.Series)
		if e.Grid[i].Options.Fence.Mode.Sound() {
			require.Zero(t, lost, p.Series)
		} else {
			require.Positive(t, lost, p.Series)
			require.Positive(t, p.Hits, p.Series)
		}
	}
}
