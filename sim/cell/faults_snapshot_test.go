package cell

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/driver"
	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/check/agreement"
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
	c := someCell(t, 8, func(p *plan.Plan) { p.Driver.SnapshotEvery = 100 })
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

// What a peer has fetched of a snapshot that goes bad stays as it was.
func TestASnapshotRotsWhileItIsServed(t *testing.T) {
	c := someCell(t, 8, func(p *plan.Plan) { p.Driver.SnapshotEvery = 100 })
	m := c.replicas[0]
	file := snapshotsOf(m)[0]
	slot, ok := agreement.SnapshotIn(file)
	require.True(t, ok)
	was, err := m.Disk().Mem().Contents(file)
	require.NoError(t, err)
	c.rotServed(c.replicas[1], c.world.Draw("test", 0))
	strike := c.transfers.onPiece[len(c.transfers.onPiece)-1]
	given := func(s paxos.Slot) piece {
		return piece{source: m, Piece: driver.Piece{ID: driver.SnapshotID{Handle: paxos.Handle{Slot: s}}, Offset: 10, Data: "piece"}}
	}
	require.False(t, strike(given(slot-1)), "it is not the newest")
	now, err := m.Disk().Mem().Contents(file)
	require.NoError(t, err)
	require.Equal(t, was, now)
	require.True(t, strike(given(slot)))
	now, err = m.Disk().Mem().Contents(file)
	require.NoError(t, err)
	require.Equal(t, was[:15], now[:15])
	require.NotEqual(t, was[15:], now[15:])
}
