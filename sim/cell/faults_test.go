package cell

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/faults"
	"github.com/chubbycell/chubby/sim/plan"
)

func lively(p *plan.Plan) {
	q := plan.New(plan.Options{Seed: p.Seed, Replicas: 3, Faults: []string{}, Workload: "files"})
	*p = q
	p.Hostile = plan.HostilePlan{}
	p.Driver.Core.Sessions.LeaseMin, p.Driver.Core.Sessions.LeaseMax = 2*time.Second, 4*time.Second
	p.Driver.Core.Sessions.IdleAfter = 0 // no client rests
}

// After a client falls silent, the strike comes shortly before its session ends.
func TestAStrikeComesAtTheEndOfASession(t *testing.T) {
	c := someCell(t, 4, lively)
	grant := c.plan.Driver.Core.Paxos.Lease.Grant
	struck := 0
	for i := range uint64(5) {
		faults.Fade(c.faults, c.world.Draw("test", i), func() {
			struck++
			near := false
			for id := range c.sessions.Seats {
				for x := range c.sessions.Seats[id].Leases {
					m, ok := c.sessions.Seats[id].Of.Session(x)
					left := m.Lease.Sub(running(c.machines.Replicas[id-1]).Now)
					near = near || ok && left > 0 && left <= max(grant, 100*time.Millisecond)+time.Millisecond
				}
			}
			require.True(t, near)
		})
	}
	require.Equal(t, sim.Reached, c.world.Run(15*time.Second))
	require.Nil(t, c.world.Failure())
	require.Positive(t, struck)
}

// Messages that were sent to one life come again to the next, and confuse no replica.
func TestWhatWasSaidToOneLifeComesAgainToTheNext(t *testing.T) {
	c := someCell(t, 3, lively)
	for i := range uint64(8) {
		c.faults.Strike("echo", c.world.Draw("test", i))
	}
	require.Equal(t, sim.Reached, c.world.Run(20*time.Second))
	require.Nil(t, c.world.Failure())
	require.Positive(t, c.faults.Echoed)
}

// Late writes end with the safety phase, and none of them breaks anything by itself.
func TestWritesThatComeLateBreakNothing(t *testing.T) {
	c := someCell(t, 3, lively)
	for i := range uint64(8) {
		c.faults.Strike("late-copy", c.world.Draw("test", i))
	}
	require.Positive(t, c.faults.HeldWrites())
	require.Equal(t, sim.Reached, c.world.Run(20*time.Second))
	require.Nil(t, c.world.Failure())
	require.Positive(t, c.faults.Outlived)
	c.faults.Strike("late-copy", c.world.Draw("test", 8))
	require.Positive(t, c.faults.HeldWrites())
	c.heal()
	require.Zero(t, c.faults.HeldWrites())
	require.Equal(t, sim.Reached, c.world.RunFor(5*time.Second))
	require.Nil(t, c.world.Failure())
}

// A replica whose only snapshot rots recovers from its log.
func TestASoleSnapshotMayRot(t *testing.T) {
	c := someCell(t, 8, func(p *plan.Plan) { p.Driver.SnapshotEvery = 100 })
	for i := range uint64(5) {
		c.faults.Strike("disk-rot-snapshot", c.world.Draw("test", i))
	}
	var struck []*sim.Machine
	for _, m := range c.machines.Replicas {
		if c.watch.Budget.IsHurt(paxos.NodeID(m.Addr())) {
			struck = append(struck, m)
		}
	}
	require.Len(t, struck, 1, "no more than a minority")
	struck[0].Crash()
	struck[0].StartAfter(time.Millisecond)
	require.Equal(t, sim.Reached, c.world.RunFor(2*time.Second))
	require.Nil(t, c.world.Failure())
	require.NotNil(t, running(struck[0]))
}
