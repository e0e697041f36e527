package cell

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/check/agreement"
	"github.com/chubbycell/chubby/sim/damage"
	"github.com/chubbycell/chubby/sim/plan"
)

// Damaged and absent replicas together are at most f, so the others are a quorum whose votes can
// all be read.
func TestDamagedAndAbsentReplicasLeaveAQuorum(t *testing.T) {
	sizes := map[int]int{}
	for seed := range uint64(60) {
		n := 3 + int(seed%5)
		c := &seedRun{build(plan.New(plan.Options{Seed: seed, Replicas: n, Faults: []string{}}), sim.Config{})}
		t.Cleanup(c.world.Close)
		a := c.watch.Budget
		for id := range seed % uint64(n) {
			a.Take(paxos.NodeID(id + 1))
		}
		out := a.Hurt
		for _, m := range c.pickMissing(c.world.Draw("test", 0)) {
			out |= 1 << m.Addr()
			sizes[n]++
		}
		bits := 0
		for ; out > 0; out &= out - 1 {
			bits++
		}
		require.LessOrEqual(t, bits, (n-1)/2, "seed %d", seed)
	}
	require.Len(t, sizes, 5, "a replica was absent in each size of cell")
}

// Cells whose disks rot keep all properties, and reach the situations that rot is meant to cause.
func TestCellsWithRottingDisks(t *testing.T) {
	faults := []string{"disk-rot-value", "disk-rot", "disk-misdirect", "disk-read-error", "crash-leader"}
	names := []string{"unreadable-vote", "damaged-fetched", "damaged-copy-repaired", "damage-stopped"}
	reached := map[string]uint64{}
	for seed := uint64(4); seed < 16 && !reachedAll(reached, names); seed++ { // 4 and 5 reach all of them
		r := Run(plan.Options{Seed: seed, Replicas: 3 + 2*int(seed%2), Faults: faults})
		require.Nil(t, r.Breach, "seed %d", seed)
		for _, n := range r.Sometimes {
			reached[n.Name] += n.Value
		}
	}
	for _, name := range names {
		require.Positive(t, reached[name], name)
	}
}

// A replica whose disk forgets synced data stops, and nothing breaks.
func TestCellsWhoseDisksForget(t *testing.T) {
	stopped := uint64(0)
	for seed := range few(2, 6) { // a replica stops in seeds 0, 1 and 4
		r := Run(plan.Options{Seed: seed, Replicas: 3, Faults: []string{"disk-forget", "crash-leader", "crash-mending"}})
		require.Nil(t, r.Breach, "seed %d", seed)
		for _, n := range r.Sometimes {
			if n.Name == "damage-stopped" {
				stopped += n.Value
			}
		}
	}
	require.Positive(t, stopped)
}

// Only the log shows that a register is outdated: it is if the log has a record of a later promise,
// or of a later life.
func TestWhenARegisterIsOutdated(t *testing.T) {
	c := someCell(t, 3)
	m := c.machines.Replicas[0]
	s, id := damage.Disk{Mem: m.Disk().Mem()}, running(m).Id
	outdated := func(was []byte) bool {
		return s.IsOutdated(was, c.watch.Disks[id].Noted.Boot, c.watch.Disks[id].Noted.Promise)
	}
	was, image := s.Register()
	require.NotEmpty(t, image)
	require.False(t, outdated(was))
	d := &c.watch.Disks[id]
	require.Equal(t, agreement.Noted{Boot: d.Boot, Promise: d.Promise}, d.Noted)
	d.Promise.Round++
	require.False(t, outdated(was), "a higher promise, of which the log has no record")
	d.Promise.Round--
	d.Noted.Promise.Round++
	require.True(t, outdated(was), "a higher promise")
	d.Noted.Promise.Round--
	d.Noted.Boot++
	require.True(t, outdated(was), "a later life")
	d.Noted.Boot--

	require.NoError(t, s.Mem.Corrupt(damage.Registers[0]+".a", 30, 1))
	b, err := s.Mem.Contents(damage.Registers[0] + ".b")
	require.NoError(t, err)
	now, other := s.Register()
	require.Equal(t, was, now, "of a copy that is good")
	require.Equal(t, b, other)
}
