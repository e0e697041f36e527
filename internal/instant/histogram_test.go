package instant_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/chubbycell/chubby/internal/instant"
)

// Each bound has counted exactly the durations that are at most as long, also those that equal it.
func TestHistogramCountsUpToEachBound(t *testing.T) {
	var empty instant.Histogram
	var bounds []time.Duration
	for bound, n := range empty.Bounds() {
		require.Zero(t, n)
		bounds = append(bounds, bound)
	}
	require.Equal(t, 62500*time.Nanosecond, bounds[0])
	require.Equal(t, 8192*time.Millisecond, bounds[len(bounds)-1])

	length := rapid.OneOf(
		rapid.Custom(func(t *rapid.T) time.Duration {
			return rapid.SampledFrom(bounds).Draw(t, "bound") + time.Duration(rapid.IntRange(-1, 1).Draw(t, "off"))
		}),
		rapid.Map(rapid.Int64Range(-5, int64(time.Minute)), func(n int64) time.Duration { return time.Duration(n) }))
	rapid.Check(t, func(t *rapid.T) {
		all := rapid.SliceOf(length).Draw(t, "all")
		var h instant.Histogram
		var sum time.Duration
		for _, d := range all {
			h.Add(d)
			sum += max(0, d)
		}
		require.Equal(t, uint64(len(all)), h.Count())
		require.Equal(t, sum, h.Sum())
		for bound, n := range h.Bounds() {
			var want uint64
			for _, d := range all {
				if d <= bound {
					want++
				}
			}
			require.Equal(t, want, n, "up to %v", bound)
		}
	})
}
