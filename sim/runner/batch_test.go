package runner

import (
	"context"
	"math"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/sim/cell"
	"github.com/chubbycell/chubby/sim/plan"
)

func TestAPanicOfTheSimulatorIsNoVerdict(t *testing.T) {
	var told []cell.Result
	Batch{From: 5, Seeds: 1, MaxFailures: 1, Jobs: 1, Runner: func(plan.Options) cell.Result { panic("a checker's bug") },
		Each: func(r cell.Result) { told = append(told, r) }}.Run(t.Context())
	require.Len(t, told, 1)
	require.True(t, told[0].Internal)
	require.EqualValues(t, 5, told[0].Seed)
	require.Contains(t, told[0].Breach.Text, "a checker's bug")
	require.NotEmpty(t, told[0].Stack)
}

// If two seeds are wanted, eight jobs would run six seeds in vain.
func TestNoMoreSeedsBeginThanAreWanted(t *testing.T) {
	for wanted, begins := range map[uint64]int{1: 1, 2: 2, 8: 8, 0: 8} {
		synctest.Test(t, func(t *testing.T) {
			var begun atomic.Int32
			b := Batch{From: 1, Seeds: wanted, Jobs: 8, For: time.Second, Each: func(cell.Result) {}}
			b.Runner = func(o plan.Options) cell.Result {
				begun.Add(1)
				time.Sleep(time.Second)
				return cell.Result{Seed: o.Seed, Counted: true}
			}
			b.Run(t.Context())
			require.EqualValues(t, begins, begun.Load(), "%d seeds are wanted", wanted)
		})
	}
}

// Seeds do not start again from 0 after the largest one.
func TestABatchEndsAtTheLargestSeed(t *testing.T) {
	const last = math.MaxUint64
	for _, c := range []struct {
		from, shard, shards uint64
		want                []uint64
	}{
		{last, 0, 0, []uint64{last}},
		{last - 1, 0, 0, []uint64{last - 1, last}},
		{last - 3, 1, 2, []uint64{last - 3, last - 1}},
		{last - 3, 2, 2, []uint64{last - 2, last}},
		{last - 1, 3, 1 << 62, nil},
		{7, 3, 4, []uint64{10, 14, 18}},
		{7, 4, 4, []uint64{7, 11, 15}},
		{8, 1, 1, []uint64{8, 9, 10}},
	} {
		for _, jobs := range []int{1, 4} {
			var told []uint64
			Batch{From: c.from, Shard: c.shard, Shards: c.shards, Seeds: 3, Jobs: jobs,
				Runner: func(o plan.Options) cell.Result { return cell.Result{Seed: o.Seed, Counted: true} },
				Each:   func(r cell.Result) { told = append(told, r.Seed) }}.Run(t.Context())
			require.Equal(t, c.want, told, "%+v", c)
		}
	}
}

// Batch.Most includes seeds that do not count.
func TestABatchOfSoManySeeds(t *testing.T) {
	for _, jobs := range []int{1, 4} {
		var told []uint64
		end := Batch{From: 7, Most: 5, Jobs: jobs,
			Runner: func(o plan.Options) cell.Result { return cell.Result{Seed: o.Seed, Counted: o.Seed%2 == 0} },
			Each:   func(r cell.Result) { told = append(told, r.Seed) }}.Run(t.Context())
		require.Equal(t, []uint64{7, 8, 9, 10, 11}, told)
		require.Equal(t, EndLast, end)
	}
}

func TestABatchSaysWhatEndedIt(t *testing.T) {
	counts := func(o plan.Options) cell.Result {
		r := cell.Result{Seed: o.Seed, Counted: true}
		if o.Seed == 7 {
			r.Counted, r.Breach = false, &cell.Breach{ID: "S1"}
		}
		return r
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	for _, c := range []struct {
		ctx   context.Context
		batch Batch
		want  End
	}{
		{t.Context(), Batch{Seeds: 5, MaxFailures: 1}, EndSeeds},
		{t.Context(), Batch{Seeds: 50, MaxFailures: 1}, EndFailures},
		{t.Context(), Batch{Seeds: 50, For: 1}, EndTime},
		{gone, Batch{Seeds: 5}, EndInterrupt},
	} {
		c.batch.From, c.batch.Runner, c.batch.Each = 1, counts, func(cell.Result) {}
		require.Equal(t, c.want, c.batch.Run(c.ctx))
	}
}
