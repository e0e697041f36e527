package swarm_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/sim/lab/swarm"
	"github.com/chubbycell/chubby/sim/lab/systems"
)

// docs/lab.md has a thousand seeds of this.
func TestAWriteCheckLosesWhereAReadAndWriteCheckDoesNotForEachTokenThereIs(t *testing.T) {
	const seeds = 8
	grid, _, err := swarm.Grid(systems.All(), swarm.Choice{Faults: []string{"pause", "partition"}, Resources: []string{"write-check", "read-and-write check"}})
	require.NoError(t, err)
	table := swarm.NewTable(grid)
	for i := range grid {
		for seed := uint64(1); seed <= seeds; seed++ {
			x, err := grid[i].Run(seed)
			require.NoError(t, err)
			table.Add(i, x)
		}
	}
	written := map[string]int{}
	for _, r := range table.Rows() {
		written[r.System] += r.Write.Hits
		require.Zero(t, r.Read.Hits, "%s, %s: an update is lost behind the read-and-write check", r.System, r.Fault)
	}
	require.Len(t, written, 7, "systems with a token")
	for name, hits := range written {
		require.NotZero(t, hits, "%s: the write-check loses nothing in %d seeds of each fault", name, seeds)
	}
}
