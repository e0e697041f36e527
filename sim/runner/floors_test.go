package runner

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/sim/cell"
)

func TestALongBatchIsJudgedByWhatItReached(t *testing.T) {
	var tally Tally
	for seed := range uint64(floorSeeds) {
		r := tallied(seed+1, 500, true)
		r.Sometimes = []cell.Number{{Name: "window-full", Value: 0}, {Name: "hand-over", Value: 0}, {Name: "conflict", Value: 0}}
		if seed < 10 {
			r.Sometimes[0].Value = 2
		}
		if seed < 9 {
			r.Sometimes[1].Value = 5
		}
		tally.Add(r)
		if seed == floorSeeds-2 {
			short := tally.Totals(0)
			require.Empty(t, short.Rare)
		}
	}
	totals := tally.Totals(0)
	require.Equal(t, []string{"hand-over"}, totals.Rare, "conflict is not demanded, and 10 seeds are enough")
	var b strings.Builder
	require.NoError(t, totals.WriteTable(&b, true))
	require.Contains(t, b.String(), "\nrare                 hand-over was reached in 9 seeds of 10000; 10 in 10000 are required\n")
	require.Contains(t, b.String(), "  hand-over *                      45        9\n")
	require.Contains(t, b.String(), "  conflict                          0        0\n")
}
