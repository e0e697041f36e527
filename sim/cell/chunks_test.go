package cell

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/plan"
	"github.com/chubbycell/chubby/wal/vfs"
)

func TestL2ASnapshotIsSyncedChunkByChunk(t *testing.T) {
	c := someCell(t, 8, func(p *plan.Plan) { p.Store.ChunkSize, p.Driver.SnapshotEvery = 1<<10, 50 })
	require.Nil(t, c.world.Failure())
	require.NotEmpty(t, snapshotsOf(c.machines.Replicas[0]))
	r := running(c.machines.Replicas[0])
	mem := vfs.NewMem()
	write := func(name string, sync bool) {
		f, err := mem.Create(name)
		require.NoError(t, err)
		f = c.growth.Chunked(r.Id, name, f)
		for i := range int64(4) {
			_, err := f.WriteAt(make([]byte, 1<<10), i<<10)
			require.NoError(t, err)
			if sync {
				require.NoError(t, f.SyncData())
			}
		}
		require.NoError(t, f.Sync())
	}
	write("1.1.tmp", true)
	write("1.wal", false)
	require.Nil(t, c.world.Failure())
	write("2.1.tmp", false)
	broke(t, c, "L2", "to sync at once")
}

// snapshotsOf are the snapshots on a replica's disk, the oldest first.
func snapshotsOf(m *sim.Machine) (files []string) {
	for _, f := range m.Disk().Mem().Files() {
		if strings.HasSuffix(f.Name, ".snap") {
			files = append(files, f.Name)
		}
	}
	return files
}
