package cell

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/plan"
)

// snapshotsOf are the snapshots on a replica's disk, the oldest first.
func snapshotsOf(m *sim.Machine) (files []string) {
	for _, f := range m.Disk().Mem().Files() {
		if strings.HasSuffix(f.Name, ".snap") {
			files = append(files, f.Name)
		}
	}
	return files
}

// A replica whose only snapshot goes bad comes back from its log.
func TestASoleSnapshotMayRot(t *testing.T) {
	c := someCell(t, 8, func(p *plan.Plan) { p.Host.SnapshotEvery = 100 })
	for _, m := range c.replicas {
		require.Len(t, snapshotsOf(m), 1)
	}
	var struck []paxos.NodeID
	for i := range uint64(5) {
		rotSnapshot(c, c.world.Draw("test", i))
	}
	for id := range c.rotten {
		struck = append(struck, id)
	}
	require.Len(t, struck, 1, "no more than a minority")
	m := c.world.Machine(sim.Addr(struck[0]))
	m.Crash()
	m.StartAfter(time.Millisecond)
	require.Equal(t, sim.Reached, c.world.RunFor(2*time.Second))
	require.Nil(t, c.world.Failure())
	require.NotNil(t, running(m))
}
