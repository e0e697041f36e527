package cell

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/plan"
)

func lively(p *plan.Plan) {
	q := plan.New(plan.Options{Seed: p.Seed, Replicas: 3, Faults: []string{}, Workload: "files"})
	*p = q
	p.Hostile = plan.HostilePlan{}
	p.Driver.Core.Sessions.LeaseMin, p.Driver.Core.Sessions.LeaseMax = 2*time.Second, 4*time.Second
	p.Driver.Core.Sessions.IdleAfter = 0 // no client rests
}

// A client falls silent, and the strike comes while its session is alive still, and
// not for long.
func TestAStrikeComesAtTheEndOfASession(t *testing.T) {
	c := someCell(t, 4, lively)
	grant := c.plan.Driver.Core.Paxos.Lease.Grant
	struck := 0
	for i := range uint64(5) {
		c.fade(c.world.Draw("test", i), func() {
			struck++
			near := false
			for id := range c.sessions.Seats {
				for x := range c.sessions.Seats[id].Leases {
					m, ok := c.sessions.Seats[id].Of.Session(x)
					left := m.Lease.Sub(running(c.replicas[id-1]).now)
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

// What was said to a life comes to the next, and confuses no replica.
func TestWhatWasSaidToOneLifeComesAgainToTheNext(t *testing.T) {
	c := someCell(t, 3, lively)
	said := 0
	for i := range uint64(8) {
		echo(c, c.world.Draw("test", i))
	}
	all := slices.Clone(c.echoes)
	require.Len(t, all, 8)
	require.Equal(t, sim.Reached, c.world.Run(20*time.Second))
	require.Nil(t, c.world.Failure())
	require.Empty(t, c.echoes)
	for _, e := range all {
		said += len(e.said)
		require.LessOrEqual(t, len(e.said), mostSaid)
	}
	require.Positive(t, said)
}

// An answer to the first call of one life comes to the next one when it makes its first.
func TestAnAnswerOfOneLifeComesWhenTheNextWaitsForOne(t *testing.T) {
	c := someCell(t, 3, lively)
	client, replica := c.clients[0].Addr(), c.replicas[0].Addr()
	old := api.Reply{Session: 7, Seq: 1, Result: api.Result{Code: api.OK}}
	e := &echoing{to: client, said: []saying{{from: replica, wire: api.AppendReply(nil, old)}}}
	require.False(t, (&echoing{to: replica, said: e.said}).answers())
	require.True(t, e.answers())
	c.recalled = append(c.recalled, e)
	c.recalls(c.clients[1].Addr(), api.Request{Session: 8, Seq: 1})
	c.recalls(client, api.Request{Session: 8, Seq: 2})
	c.recalls(client, api.Request{Session: 7, Seq: 1})
	require.Len(t, e.said, 1, "no call waits for it")
	c.recalls(client, api.Request{Session: 8, Seq: 1})
	require.Empty(t, e.said)
	require.Equal(t, sim.Reached, c.world.Run(20*time.Second))
	require.Nil(t, c.world.Failure())
}

// Each kind of fault that the plan names is done here, and no other.
func TestEveryKindOfThePlanIsThere(t *testing.T) {
	require.Len(t, strikes, len(plan.Faults(nil)))
	for _, f := range plan.Faults(nil) {
		require.NotNil(t, strikeNamed(f.Name, nil), f.Name)
	}
}
