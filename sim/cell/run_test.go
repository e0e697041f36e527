package cell

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCleanCellsServe(t *testing.T) {
	for seed := range uint64(4) {
		r := Run(Options{Seed: seed, Faults: []string{}})
		require.Nil(t, r.Breach, "seed %d", seed)
		require.True(t, r.Counted, "seed %d: %d operations in %v", seed, r.Ops, r.Simulated)
	}
}
