package runner

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/sim/cell"
)

// split returns the totals of results as one run, and as the given number of shards.
func split(shards int, results []cell.Result) (whole Totals, parts []Shard) {
	tallies := make([]Tally, shards)
	parts = make([]Shard, shards)
	var all Tally
	for i, r := range results {
		all.Add(r)
		tallies[i%shards].Add(r)
		parts[i%shards].Runs = append(parts[i%shards].Runs, RunOf(&r))
	}
	for i := range parts {
		parts[i].Totals = tallies[i].Totals(2 * time.Second)
	}
	return all.Totals(time.Duration(shards) * 2 * time.Second), parts
}

func TestShardsTogetherAreOneRun(t *testing.T) {
	var results []cell.Result
	for seed := uint64(1); seed <= 50; seed++ {
		r := tallied(seed, 500+int(seed*37%100), seed%5 != 0)
		r.Unknown, r.Failovers = int(seed%7), int(seed%4)
		r.Undecided = seed == 9
		switch seed {
		case 11:
			r.Breach = &cell.Breach{ID: "S1"}
		case 12:
			r.Breach = &cell.Breach{}
		case 13:
			r.Breach, r.Internal = &cell.Breach{}, true
		}
		results = append(results, r)
	}
	for _, n := range []int{1, 2, 3, 7} {
		whole, parts := split(n, results)
		for i := range parts {
			require.NoError(t, parts[i].Check())
		}
		require.Equal(t, whole, Merge(parts), "%d shards", n)
	}
}

// Rare situations are judged over all shards, even if each shard is too short.
func TestShardsAreJudgedTogetherByWhatTheyReached(t *testing.T) {
	var results []cell.Result
	for seed := range uint64(floorSeeds) {
		r := tallied(seed+1, 500, true)
		r.Sometimes = []cell.Number{{Name: "window-full"}, {Name: "hand-over"}}
		if seed < 10 {
			r.Sometimes[0].Value = 1
		}
		if seed < 9 {
			r.Sometimes[1].Value = 1
		}
		results = append(results, r)
	}
	whole, parts := split(2, results)
	require.Empty(t, parts[0].Totals.Rare)
	require.Empty(t, parts[1].Totals.Rare)
	merged := Merge(parts)
	require.Equal(t, []string{"hand-over"}, merged.Rare)
	require.Equal(t, whole.Hash, merged.Hash)
}

func TestAShardWhoseRunsAreOthersIsDamaged(t *testing.T) {
	_, parts := split(1, []cell.Result{tallied(1, 500, true), tallied(2, 500, true)})
	s := parts[0]
	s.Runs = append([]Run{}, s.Runs...)
	s.Runs[1].Hash = "0b"
	require.ErrorContains(t, s.Check(), "hash")
	s.Runs = s.Runs[:1]
	require.ErrorContains(t, s.Check(), "its totals say 2")
}
