package cell

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/plan"
)

func TestTheAtlasLetsNoMoreThanABareMinorityBeDamaged(t *testing.T) {
	for n, f := range map[int]int{1: 0, 2: 0, 3: 1, 4: 1, 5: 2, 6: 2, 7: 3} {
		a, hurt := newAtlas(n, 0), 0
		for id := paxos.NodeID(1); int(id) <= n; id++ {
			if a.take(id) {
				hurt++
			}
		}
		require.Equal(t, f, hurt, "of %d", n)
		require.Zero(t, a.spare())
		for id := paxos.NodeID(1); int(id) <= n; id++ {
			require.Equal(t, int(id) <= f, a.take(id), "the first are hit again, the others never")
		}
	}
}

func TestADiskThatMustStopItsReplicaIsNotHitAgain(t *testing.T) {
	a := newAtlas(5, 0)
	require.True(t, a.take(2))
	a.doom(2)
	require.False(t, a.take(2))
	require.True(t, a.take(4))
	a.bury(4, false)
	require.False(t, a.take(4))
	require.True(t, a.isHurt(2) && a.isHurt(4) && a.isDead(4) && !a.isDead(2))
}

// Damaged and absent together are at most f: the others are a quorum whose votes
// can all be read.
func TestWhoIsAbsentCountsAgainstTheDamaged(t *testing.T) {
	sizes := map[int]int{}
	for seed := range uint64(60) {
		n := 3 + int(seed%5)
		c := build(plan.New(plan.Options{Seed: seed, Replicas: n, Faults: []string{}}), sim.Trace{})
		t.Cleanup(c.world.Close)
		a := c.watch.atlas
		for id := range seed % uint64(n) {
			a.take(paxos.NodeID(id + 1))
		}
		out := a.hurt
		for _, m := range c.missing(c.world.Draw("test", 0)) {
			out |= 1 << m.Addr()
			sizes[n]++
		}
		bits := 0
		for ; out > 0; out &= out - 1 {
			bits++
		}
		require.LessOrEqual(t, bits, (n-1)/2, "seed %d", seed)
	}
	require.Len(t, sizes, 5, "somebody was absent in each size of cell")
}

// Cells whose disks rot keep all properties, and come by what rot is there for.
func TestCellsWithRottingDisks(t *testing.T) {
	faults := []string{"disk-rot-value", "disk-rot", "disk-misdirect", "disk-read-error", "crash-leader"}
	reached := map[string]uint64{}
	for seed := range uint64(12) {
		r := Run(plan.Options{Seed: seed, Replicas: 3 + 2*int(seed%2), Faults: faults})
		require.Nil(t, r.Breach, "seed %d", seed)
		for _, n := range r.Sometimes {
			reached[n.Name] += n.Value
		}
	}
	for _, name := range []string{"unreadable-vote", "damaged-fetched", "damaged-copy-repaired", "damage-stopped"} {
		require.Positive(t, reached[name], name)
	}
}

// Disks that forget stop their replicas, and nothing breaks.
func TestCellsWhoseDisksForget(t *testing.T) {
	stopped := uint64(0)
	for seed := range uint64(6) {
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

// What is old is known by the log alone: a promise that was put back before anything
// new was told is what it was.
func TestWhenARegisterIsOutdated(t *testing.T) {
	c := someCell(t, 3)
	m := c.replicas[0]
	s := decayed{c: c, d: c.world.Draw("test", 0), m: m, id: running(m).id, mem: m.Disk().Mem()}
	was, image := s.register()
	require.NotEmpty(t, image)
	require.False(t, s.outdated(was))
	d := &c.watch.disks[s.id]
	require.Equal(t, noted{d.boot, d.promise}, d.noted)
	d.promise.Round++
	require.False(t, s.outdated(was), "a higher promise, of which the log has no record")
	d.promise.Round--
	d.noted.promise.Round++
	require.True(t, s.outdated(was), "a higher promise")
	d.noted.promise.Round--
	d.noted.boot++
	require.True(t, s.outdated(was), "a later life")
	d.noted.boot--

	require.NoError(t, s.mem.Corrupt(registers[0]+".a", 30, 1))
	b, err := s.mem.Contents(registers[0] + ".b")
	require.NoError(t, err)
	now, other := s.register()
	require.Equal(t, was, now, "of a copy that is good")
	require.Equal(t, b, other)
	s.putBack(was, image)
	require.False(t, c.watch.atlas.isDoomed(s.id), "nothing shows that it is old")
	d.noted.boot++
	s.putBack(was, image)
	require.True(t, c.watch.atlas.isDoomed(s.id))
	got, err := s.mem.Contents(registers[0] + ".a")
	require.NoError(t, err)
	require.Equal(t, image, got)
}
