package cell

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Few programs may meet a log in which each command fills a segment; many do not.
func TestManyProgramsHaveALogThatCarriesThem(t *testing.T) {
	tight, many := 0, 0
	for seed := range uint64(2000) {
		p := NewPlan(Options{Seed: seed})
		if fits := p.Store.SegmentSize >= min(4*int64(p.Calls.Value), 1<<14); p.Clients*p.Calls.Threads > mostInNarrow {
			many++
			require.True(t, fits, "seed %d", seed)
		} else if !fits {
			tight++
		}
	}
	require.Greater(t, many, 100)
	require.Greater(t, tight, 100)
}
