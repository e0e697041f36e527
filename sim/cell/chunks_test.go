package cell

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/plan"
)

func TestL2ACellSyncsItsSnapshotsChunkByChunk(t *testing.T) {
	c := someCell(t, 8, func(p *plan.Plan) { p.Store.ChunkSize, p.Driver.SnapshotEvery = 1<<10, 50 })
	require.Nil(t, c.world.Failure())
	require.NotEmpty(t, snapshotsOf(c.machines.Replicas[0]))
}

// snapshotsOf returns the names of the snapshots on a replica's disk, the oldest first.
func snapshotsOf(m *sim.Machine) (files []string) {
	for _, f := range m.Disk().Mem().Files() {
		if strings.HasSuffix(f.Name, ".snap") {
			files = append(files, f.Name)
		}
	}
	return files
}
