package draw_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/internal/draw"
)

// The numbers below are a contract: every recorded seed in bug tables, tests
// and reports stands on them.
func TestDrawsArePinned(t *testing.T) {
	s := draw.New(42)
	got := []uint64{s.At("net.delay", 1, 0), s.At("net.delay", 1, 1), s.At("net.delay", 2, 0), s.At("disk.torn", 1, 0)}
	require.Equal(t, pinned, got)
}

func TestAStreamIsItsDrawsInOrder(t *testing.T) {
	s := draw.New(7)
	st := s.Stream("a", 3)
	for i := uint64(0); i < 100; i++ {
		require.Equal(t, s.At("a", 3, i), st.Uint64())
	}
	require.Equal(t, uint64(100), st.Count())
}

func TestNeighbouringKeysAreUnrelated(t *testing.T) {
	seen := map[uint64]string{}
	for seed := uint64(0); seed < 20; seed++ {
		for entity := uint64(0); entity < 20; entity++ {
			for n := uint64(0); n < 20; n++ {
				for _, site := range []string{"a", "b"} {
					x := draw.New(seed).At(site, entity, n)
					require.Empty(t, seen[x])
					seen[x] = site
				}
			}
		}
	}
}

func TestRangesAreKeptAndReached(t *testing.T) {
	st := draw.New(1).Stream("r", 0)
	var ends [2]int
	for range 2000 {
		x := st.Between(-3, 3)
		require.True(t, -3 <= x && x <= 3)
		if x == -3 {
			ends[0]++
		}
		if x == 3 {
			ends[1]++
		}
		l := st.LogUniform(1, 1000)
		require.True(t, 1 <= l && l <= 1000)
		d := st.Duration(time.Millisecond, time.Second)
		require.True(t, time.Millisecond <= d && d <= time.Second)
	}
	require.InDelta(t, 2000/7, ends[0], 100)
	require.InDelta(t, 2000/7, ends[1], 100)
}

func TestLogUniformGivesSmallValuesTheirShare(t *testing.T) {
	st := draw.New(1).Stream("l", 0)
	small := 0
	for range 1000 {
		if st.LogUniform(1, 1<<20) < 1<<10 {
			small++
		}
	}
	require.InDelta(t, 480, small, 100)
}

func TestWeightsAndPermutations(t *testing.T) {
	st := draw.New(1).Stream("w", 0)
	var hits [3]int
	for range 3000 {
		hits[st.Weighted([]uint32{1, 0, 2})]++
	}
	require.Zero(t, hits[1])
	require.InDelta(t, 1000, hits[0], 150)
	p := st.Perm(50)
	seen := make([]bool, 50)
	for _, i := range p {
		require.False(t, seen[i])
		seen[i] = true
	}
}

func TestEmptyRangesPanic(t *testing.T) {
	st := draw.New(1).Stream("p", 0)
	require.Panics(t, func() { st.N(0) })
	require.Panics(t, func() { st.Int(0) })
	require.Panics(t, func() { st.Between(1, 0) })
	require.Panics(t, func() { st.LogUniform(0, 1) })
}

func BenchmarkStream(b *testing.B) {
	st := draw.New(1).Stream("b", 0)
	var x uint64
	for b.Loop() {
		x ^= st.Uint64()
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "draws/s")
	_ = x
}

var pinned = []uint64{0xdcdd2a9f9c60d5bd, 0x32ac5b700ac10e79, 0x5e94c90fe38bf449, 0x9c46f4d4d4e2ca87}
