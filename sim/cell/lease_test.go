package cell

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/core"
	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/plan"
)

// The options of an experiment: clocks whose rates err by more than the configured rho break the
// properties of leases, and clocks at the bound do not.
func TestClocksBeyondTheBoundAreSeen(t *testing.T) {
	broken := func(o plan.LeaseOptions) string {
		for seed := uint64(2); seed < 2+few(4, 12); seed++ { // of seed 1 a session's lease breaks first (S11)
			r := Run(plan.Options{Seed: seed, Replicas: 3, Lease: o, Faults: []string{"clock-rate", "lease-edge"}})
			if r.Breach != nil {
				return r.Breach.ID
			}
		}
		return ""
	}
	o := plan.LeaseOptions{Grant: 2 * time.Second, Rho: 50_000}
	require.Empty(t, broken(o))
	o.Error = 4000
	require.Equal(t, "S7b", broken(o))
	o.OnlyS7 = true
	require.Contains(t, []string{"S7", "S4"}, broken(o))
}

// A master that answers a read alone needs read authority at the instant at which it read the
// clock, an epoch that has begun, and rows as new as any answer that a client got.
func TestS7AReadWithoutAuthority(t *testing.T) {
	alone := func(told paxos.Slot, change func(c *seedRun, n *core.Replica, now *time.Time)) *sim.Failure {
		c := someCellWithALease(t)
		for _, m := range c.machines.Replicas {
			n := running(m).Host.Core()
			if n.Serving() == nil {
				continue
			}
			now := m.Clock().Mono()
			change(c, n, &now)
			c.leases.ReadAlone(paxos.NodeID(m.Addr()), n, now, told)
		}
		return c.world.Failure()
	}
	same := func(*seedRun, *core.Replica, *time.Time) {}
	require.Nil(t, alone(1, same))
	require.Equal(t, "S7", alone(1<<40, same).ID)
	require.Nil(t, alone(1<<40, func(_ *seedRun, _ *core.Replica, now *time.Time) { *now = now.Add(-1) }), "it stood still meanwhile")
	require.Equal(t, "S7", alone(1, func(_ *seedRun, n *core.Replica, now *time.Time) { *now = n.Lease() }).ID)
	require.Nil(t, alone(1, func(_ *seedRun, n *core.Replica, now *time.Time) { *now = n.Lease().Add(-1) }))
	require.Equal(t, "S7", alone(1, func(_ *seedRun, n *core.Replica, now *time.Time) {
		n.Resign(*now)
		n.TakeOutput()
	}).ID)
}

func someCellWithALease(t *testing.T) *seedRun {
	o := plan.Options{Seed: 3, Replicas: 3, Faults: []string{}, Lease: plan.LeaseOptions{Grant: 2 * time.Second}}
	c := &seedRun{build(plan.New(o), sim.Config{})}
	t.Cleanup(c.world.Close)
	c.start()
	require.Equal(t, sim.Reached, c.world.Run(5*time.Second))
	return c
}
