package cell

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/disk/store"
	"github.com/chubbycell/chubby/sim/damage"
	"github.com/chubbycell/chubby/wal"
)

// One copy of a register has rotted, and a write to the other failed half-way. Neither can be read
// until a power cut undoes the half-written one.
func TestADiskThatWasRefusedForWhatWasNotOnIt(t *testing.T) {
	c := someCell(t, 3)
	r := running(c.machines.Replicas[0])
	mem := c.machines.Replicas[0].Disk().Mem()
	require.True(t, c.watch.Budget.Take(r.Id))
	write := func() {
		f, err := mem.Open(damage.Registers[0] + ".a")
		require.NoError(t, err)
		_, err = f.WriteAt([]byte("half"), 0)
		require.NoError(t, err)
	}
	require.False(t, damage.HalfWritten(mem))
	write()
	require.True(t, damage.HalfWritten(mem))
	c.onRefused(r, &wal.DamageError{File: "x", Why: "rot"}, false)
	require.True(t, c.watch.Budget.IsDead(r.Id))
	c.watch.Rot.Reported(r.Id, store.Report{})
	require.Nil(t, c.world.Failure())
	require.False(t, c.watch.Budget.IsDead(r.Id))
	require.False(t, c.watch.Budget.Rises(r.Id), "once for each time")
}

// S17 has two directions: a replica must not refuse a good store, and must refuse a bad one.
func TestS17AReplicaRefusesOnlyABadStore(t *testing.T) {
	damage := &wal.DamageError{File: "x", Why: "rot"}
	for name, c := range map[string]struct {
		strike func(c *seedRun, id paxos.NodeID)
		lost   bool
		breaks bool
	}{
		"nothing was damaged":        {func(*seedRun, paxos.NodeID) {}, true, true},
		"damage that stops":          {func(c *seedRun, id paxos.NodeID) { c.watch.Budget.Take(id); c.watch.Budget.Doom(id) }, false, false},
		"both copies of a register":  {func(c *seedRun, id paxos.NodeID) { c.watch.Budget.Take(id) }, true, false},
		"damage that it has to bear": {func(c *seedRun, id paxos.NodeID) { c.watch.Budget.Take(id) }, false, true},
		"damage to another replica":  {func(c *seedRun, id paxos.NodeID) { c.watch.Budget.Take(id%3 + 1) }, true, true},
	} {
		t.Run(name, func(t *testing.T) {
			cell := someCell(t, 3)
			r := running(cell.machines.Replicas[0])
			c.strike(cell, r.Id)
			cell.onRefused(r, errors.Join(damage), c.lost)
			if f := cell.world.Failure(); c.breaks {
				require.NotNil(t, f)
				require.Equal(t, "S17", f.ID)
			} else {
				require.Nil(t, f)
			}
			require.Equal(t, !c.breaks, cell.watch.Budget.IsDead(r.Id))
		})
	}
}
