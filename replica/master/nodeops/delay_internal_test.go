package nodeops

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/chubbycell/chubby/replica/api"
)

func someDelay(t testing.TB, i int) delay {
	p, err := api.ParsePath(fmt.Sprintf("/f%d", i))
	require.NoError(t, err)
	return delay{api.Ref{Path: p, Instance: 1}, api.Number(i + 1)}
}

// The delays that run are those that have begun, are not over, and have not ended before, as when their node was deleted.
func TestTheDelaysThatRun(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		begin := time.Unix(1000, 0)
		var ds delays
		want := map[delay]time.Time{}
		for range rapid.IntRange(1, 40).Draw(rt, "steps") {
			x := someDelay(t, rapid.IntRange(0, 5).Draw(rt, "delay"))
			at := begin.Add(time.Duration(rapid.IntRange(0, 9).Draw(rt, "at")) * time.Second)
			switch _, runs := want[x]; rapid.IntRange(0, 2).Draw(rt, "what") {
			case 0:
				if !runs {
					ds.begin(x, at)
					want[x] = at
				}
			case 1:
				ds.ended(x)
				delete(want, x)
			case 2:
				for _, over := range ds.due(at) {
					require.False(rt, over.end.After(at))
					require.Equal(rt, want[over.delay], over.end)
					delete(want, over.delay)
				}
				for _, end := range want { // order-free: each by itself
					require.True(rt, end.After(at))
				}
			}
			require.Len(rt, ds.all, len(want))
			for i, x := range ds.all {
				require.Equal(rt, want[x.delay], x.end)
				require.True(rt, i == 0 || ds.all[i-1].compare(x) < 0)
			}
		}
	})
}

// Many clients with locks are lost one after the other, as with a part of the network. Each op is the end of 1,000 of their 50,000
// lock-delays.
func BenchmarkDelaysEnd(b *testing.B) {
	const n = 50_000
	begin := time.Unix(1000, 0)
	var all []delay
	for i := range n {
		all = append(all, someDelay(b, i))
	}
	for b.Loop() {
		b.StopTimer()
		var ds delays
		for i, x := range all {
			ds.begin(x, begin.Add(time.Duration(i)*time.Millisecond))
		}
		b.StartTimer()
		for i := range n / 50 {
			for _, over := range ds.due(begin.Add(time.Duration(i) * time.Millisecond)) {
				ds.ended(over.delay)
			}
		}
	}
}
