package cell

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/conformance/replicas"
	"github.com/chubbycell/chubby/sim/plan"
)

// If snapshots are short-lived, sources replace them while a peer is fetching, and fetched records
// overtake a snapshot that is on its way.
func TestWhereSnapshotsDoNotLast(t *testing.T) {
	cut, overtaken := 0, 0
	for seed := few(92, 0); seed < 300 && (cut == 0 || overtaken == 0); seed++ { // 92 and 105 show it
		p := plan.New(plan.Options{Seed: seed, Faults: []string{"lose-source"}})
		if p.Driver.SnapshotEvery > 30 || p.Driver.KeepSlots > 3 || p.Driver.HoldFor > 200*time.Millisecond {
			continue
		}
		p.Duration = 20 * time.Second
		c := &seedRun{build(p, sim.Config{})}
		c.start()
		for _, m := range c.machines.Replicas {
			id := paxos.NodeID(m.Addr())
			require.Equal(t, id == p.Hoarder, c.configs.Of(id).KeepSlots > p.Driver.KeepSlots)
		}
		c.safety()
		require.Nil(t, c.world.Failure(), "seed %d", seed)
		cut += c.watch.Snapshots.Cut
		overtaken += c.watch.Snapshots.Overtaken
		c.world.Close()
	}
	require.Positive(t, cut)
	require.Positive(t, overtaken)
}

// If snapshots are short-lived, a swarm gets faults that make laggards. A run with named faults
// gets no others.
func TestASwarmHasLaggardsWhereSnapshotsDoNotLast(t *testing.T) {
	seeds := 0
	for seed := range uint64(500) {
		p, asked := plan.New(plan.Options{Seed: seed}), plan.New(plan.Options{Seed: seed, Faults: []string{"crash"}})
		require.Len(t, asked.Faults, 1)
		if p.Hoarder != 0 {
			seeds++
			require.Contains(t, faultNames(p), "lose-source")
		}
	}
	require.Greater(t, seeds, 10)
}

func faultNames(p plan.Plan) (names []string) {
	for _, f := range p.Faults {
		names = append(names, f.Name)
	}
	return names
}

// However slow links and disks are, and however short a hold is, a fetch fits into the hold before
// its last doubling, and into a sixth of the recovery bound. Yet in some plans the first hold is
// much shorter than a fetch.
func TestSnapshotsLastLongEnoughForALaggard(t *testing.T) {
	short := 0
	for seed := range uint64(2000) {
		p := plan.New(plan.Options{Seed: seed})
		require.LessOrEqual(t, p.Copying(), p.Driver.HoldFor<<(replicas.MaxDoublings-1)+time.Millisecond, "seed %d", seed)
		require.LessOrEqual(t, p.Copying(), plan.RecoveryBound/6, "seed %d", seed)
		if 4*p.Driver.HoldFor < p.Copying() {
			short++
		}
	}
	require.Greater(t, short, 20)
}
