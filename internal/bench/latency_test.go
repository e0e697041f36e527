package bench

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestQuantilesAreNearTheTruth(t *testing.T) {
	var odd, even, all latencies
	require.Zero(t, all.quantile(0.5))
	for i := 1; i <= 10_000; i++ {
		d := time.Duration(i) * time.Microsecond
		if i%2 == 0 {
			even.add(d)
		} else {
			odd.add(d)
		}
	}
	all.merge(&odd)
	all.merge(&even)
	for q, want := range map[float64]time.Duration{
		0: time.Microsecond, 0.5: 5 * time.Millisecond, 0.99: 9900 * time.Microsecond, 0.999: 9990 * time.Microsecond, 1: 10 * time.Millisecond,
	} {
		require.InEpsilon(t, want, all.quantile(q), 0.02, "%v", q)
	}
}

// Of a hundred durations the longest is above the share 99 %, and the next is not.
func TestAQuantileIsTheShortestDuration(t *testing.T) {
	var l latencies
	for i := range 99 {
		l.add(time.Duration(i))
	}
	l.add(time.Hour)
	for q, want := range map[float64]time.Duration{0: 0, 0.001: 0, 0.01: 0, 0.02: 1, 0.5: 49, 0.51: 50, 0.99: 98 * time.Nanosecond} {
		require.InDelta(t, want, l.quantile(q), float64(want)/classes, "%v", q)
	}
	require.InEpsilon(t, time.Hour, l.quantile(0.991), 0.02)
	require.InEpsilon(t, time.Hour, l.quantile(1), 0.02)
}

// Each duration is in the class that ends at or above it, and in no earlier one.
func TestClassesFollowEachOther(t *testing.T) {
	for _, d := range []time.Duration{0, 1, 63, 64, 65, 127, 128, 129, 255, 256, 1e3, 1e6, 1e9, time.Hour, 1<<63 - 1} {
		c := classOf(d)
		require.GreaterOrEqual(t, upper(c), d)
		if c > 0 {
			require.Less(t, upper(c-1), d)
		}
	}
	require.Zero(t, classOf(-1))
}
