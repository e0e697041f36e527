package core_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/core"
	"github.com/chubbycell/chubby/replica/master"
	"github.com/chubbycell/chubby/replica/state/rows"
)

// serving is a group of three whose master serves and has written some rows.
func serving(t *testing.T) (*group, paxos.NodeID) { return servingOf(t, 3) }

func servingOf(t *testing.T, n int) (*group, paxos.NodeID) {
	g := newGroup(t, n)
	g.pass(3 * time.Second)
	m := g.master()
	s := g.open(m)
	for seq := range api.Seq(5) {
		g.ask(m, api.Request{ID: 2, Session: s, Seq: seq + 1, Op: api.Put{Key: string(rune('a' + seq)), Value: "1"}})
	}
	return g, m
}

func TestReplicasCompareTheirRows(t *testing.T) {
	g, _ := serving(t)
	g.pass(5 * time.Second)
	for id, n := range g.nodes {
		require.Greater(t, n.Audit().Compared, uint64(4), "node %d", id)
		require.Zero(t, n.Audit().Disagreed, "node %d", id)
	}
	require.Empty(t, g.stopped)
}

// The replica with other rows stops within a few comparisons, whether it is the master or not, and
// the others go on.
func TestTheOddOneStops(t *testing.T) {
	for _, master := range []bool{true, false} {
		g, m := serving(t)
		odd := m
		if !master {
			odd = m%3 + 1
		}
		g.nodes[odd].CorruptRow(rows.UserKey("stray"), "row")
		g.pass(5 * time.Second)
		require.Len(t, g.stopped, 1)
		require.ErrorIs(t, g.stopped[odd], core.ErrMinority)
		require.ErrorContains(t, g.stopped[odd], "2 of 3 have others")
		require.NotEqual(t, odd, g.master())
	}
}

// The others can tell which replica has other rows than they have, until the next comparison.
func TestTheOddOneIsNamed(t *testing.T) {
	g, m := serving(t)
	odd := m%3 + 1
	for id, n := range g.nodes {
		require.False(t, n.HasOtherRows(odd), "node %d", id)
	}
	g.nodes[odd].CorruptRow(rows.UserKey("stray"), "row")
	for range 500 {
		if g.pass(10 * time.Millisecond); g.nodes[m].HasOtherRows(odd) {
			break
		}
	}
	require.True(t, g.nodes[m].HasOtherRows(odd))
	require.False(t, g.nodes[m].HasOtherRows(6-m-odd))
	require.NotZero(t, g.nodes[m].Audit().Disagreed)
}

// If the log is full, a comparison that is due waits until the log wakes the replica, and is
// proposed as soon as there is room.
func TestAComparisonThatTheLogRefusesWaits(t *testing.T) {
	g := newGroup(t, 3, func(c *core.Config) { c.Paxos.Window, c.Paxos.MaxPending, c.Paxos.Lease = 1, 1, paxos.Lease{} })
	g.pass(2900 * time.Millisecond)
	m := g.master()
	s := g.open(m)
	for id := range g.nodes {
		g.cut[id] = id != m
	}
	for seq := range api.Seq(3) { // one command is in a slot, one waits for the next slot
		g.ask(m, api.Request{ID: 2, Session: s, Seq: seq + 1, Op: api.Put{Key: "a", Value: "1"}})
	}
	compared := g.nodes[m].Audit().Summed
	for range 300 {
		g.now = g.now.Add(5 * time.Millisecond)
		if g.nodes[m].Advance(g.now); g.nodes[m].IsLeader() {
			g.take(m)
			require.Greater(t, g.wake[m], g.now, "it wants to be woken at once")
		}
	}
	require.Equal(t, compared, g.nodes[m].Audit().Summed)
	clear(g.cut)
	g.pass(2 * time.Second)
	require.Greater(t, g.nodes[m].Audit().Summed, compared)
}

// Wrong rows may keep a master from ever serving, so rows are compared as soon as its epoch stands
// in the log.
func TestTheOddOneStopsDuringAFailOver(t *testing.T) {
	g := newGroup(t, 3, func(c *core.Config) { c.Sessions = core.DefaultConfig().Sessions })
	g.pass(3 * time.Second)
	was := g.master()
	g.open(was) // its client is never heard of again
	g.cut[was] = true
	recovering := func() (id paxos.NodeID) {
		for id, n := range g.nodes {
			if id != was && n.Master().State == master.Recovering {
				return id
			}
		}
		return 0
	}
	for range 1000 {
		if g.pass(10 * time.Millisecond); recovering() != 0 {
			break
		}
	}
	odd := recovering()
	require.NotZero(t, odd)
	g.cut[was] = false
	g.nodes[odd].CorruptRow(rows.UserKey("stray"), "row")
	g.pass(6 * time.Second)
	require.ErrorIs(t, g.stopped[odd], core.ErrMinority)
	require.Len(t, g.stopped, 1)
}

func TestWhereThereIsNoMajorityNobodyServes(t *testing.T) {
	g, m := serving(t)
	g.nodes[m].CorruptRow(rows.UserKey("stray"), "one")
	g.nodes[m%3+1].CorruptRow(rows.UserKey("stray"), "another")
	g.pass(5 * time.Second)
	require.Len(t, g.stopped, 3)
}

// A lost report is not agreement: the next comparison finds what this one would have found.
func TestALostReportIsNoAgreement(t *testing.T) {
	g, m := serving(t)
	g.deaf[m] = true
	g.nodes[m].CorruptRow(rows.UserKey("stray"), "row")
	g.pass(5 * time.Second)
	require.Empty(t, g.stopped, "two of three know of one that differs, and it knows nothing")
	g.deaf[m] = false
	g.pass(3 * time.Second)
	require.ErrorIs(t, g.stopped[m], core.ErrMinority)
}

// A replica that is gone never reports; the reports of the others are enough.
func TestAReplicaThatIsGoneIsNoAgreement(t *testing.T) {
	g, m := servingOf(t, 5)
	g.cut[m%5+1] = true
	odd := (m+1)%5 + 1
	g.nodes[odd].CorruptRow(rows.UserKey("stray"), "row")
	g.pass(5 * time.Second)
	require.ErrorIs(t, g.stopped[odd], core.ErrMinority)
	require.Len(t, g.stopped, 1)
}

func TestAStrangersReportIsNothing(t *testing.T) {
	g, m := serving(t)
	g.pass(2 * time.Second)
	for slot := paxos.Slot(1); slot < 50; slot++ {
		for _, id := range []paxos.NodeID{m, 8, 9} {
			g.nodes[m].SumReport(g.now, id, core.SumReport{Slot: slot})
		}
	}
	require.NoError(t, g.nodes[m].TakeOutput().Stop)
}
