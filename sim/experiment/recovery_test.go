package experiment

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/sim/cell"
)

func TestRecoveryIsJudgedByFirstAnswers(t *testing.T) {
	e := recovery()
	first := func(all ...time.Duration) *cell.Result {
		return &cell.Result{FirstAnswers: all, Recovery: time.Minute}
	}
	require.Equal(t, Miss, e.Judge(first(time.Millisecond, slow)))
	require.Equal(t, Hit, e.Judge(first(slow+1, time.Millisecond)))
	require.Equal(t, Void, e.Judge(first()))
	failed := first(slow + 1)
	failed.Breach = &cell.Breach{ID: "L1"}
	require.Equal(t, Void, e.Judge(failed))
}

// Ten waits of one seed and ten of another give nearest-rank quantiles over all twenty, but no
// intervals, since there are two seeds, not twenty.
func TestQuantilesAreOverAllClients(t *testing.T) {
	tally := NewTally(recovery())
	for seed := range uint64(2) {
		r := cell.Result{Seed: seed}
		for i := range 10 {
			r.FirstAnswers = append(r.FirstAnswers, time.Duration(int(seed)*10+i+1)*time.Second)
		}
		tally.Add(0, &r)
	}
	points := tally.Points()
	w := points[0].Waits
	require.Equal(t, 20, w.Clients)
	require.Equal(t, []float64{10, 18, 20, 20}, []float64{w.P50.Value, w.P90.Value, w.P99.Value, w.Max})
	require.Empty(t, w.P50.Interval)
	require.Equal(t, &Waits{}, points[1].Waits, "nothing is known where no seed ran")
}

// The effect that the experiment shows: without faults each client gets its answer at once; with
// all kinds of faults, some wait for seconds.
func TestRecoveryHasAControl(t *testing.T) {
	e := recovery()
	tally := NewTally(e)
	for place, p := range e.Grid {
		most := uint64(10)
		if p.Series == "faults all" {
			most = 18
		}
		for seed := uint64(9); p.X == 5 && seed <= most; seed++ {
			if seen := tally.Points()[place]; seen.Hits > 0 && seen.Waits.P99.Value > 2 {
				break
			}
			o := p.Options
			o.Seed = seed
			r := cell.Run(o)
			require.Nil(t, r.Breach, "%s, seed %d", p.Series, seed)
			tally.Add(place, &r)
		}
	}
	for i, p := range tally.Points() {
		switch {
		case p.Seeds == 0:
		case len(e.Grid[i].Options.Faults) == 0 && e.Grid[i].Options.Faults != nil:
			require.Zero(t, p.Hits)
			require.Less(t, p.Waits.Max, 1.0)
		case p.Series == "faults all":
			require.Positive(t, p.Hits)
			require.Greater(t, p.Waits.P99.Value, 2.0)
		}
	}
}
