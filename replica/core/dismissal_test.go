package core_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/core"
	"github.com/chubbycell/chubby/replica/master/session"
)

// An operator's order holds at the master that took it; the session ends with its lease.
func TestAnOrderToEndASession(t *testing.T) {
	g := newGroup(t, 3, func(c *core.Config) {
		c.Sessions = session.Config{LeaseMin: 4 * time.Second, LeaseMax: 4 * time.Second, KeepAliveRate: 1}
	})
	g.pass(3 * time.Second)
	id := g.master()
	n, other := g.nodes[id], g.nodes[id%3+1]
	s := g.open(id)
	epoch := n.Master().Epoch
	_, err := other.Dismiss(g.now, s)
	require.ErrorIs(t, err, core.ErrNotServing)
	d, err := n.Dismiss(g.now, s+1)
	require.ErrorIs(t, err, core.ErrNoSession)
	require.Equal(t, core.Dismissal{Epoch: epoch}, d)

	g.pass(time.Second)
	d, err = n.Dismiss(g.now, s)
	require.NoError(t, err)
	require.Equal(t, core.Dismissal{Principal: "ann", Epoch: epoch, Left: 3 * time.Second, IsNew: true}, d)
	g.take(id)
	keep := api.KeepAlive{AckedEpoch: epoch, Now: true}
	require.Empty(t, g.ask(id, api.Request{ID: 2, Session: s, Op: keep}), "its KeepAlive waits")
	g.pass(2 * time.Second)
	d, err = n.Dismiss(g.now, s)
	require.NoError(t, err)
	require.Equal(t, core.Dismissal{Principal: "ann", Epoch: epoch, Left: time.Second}, d, "again")
	g.take(id)
	require.Empty(t, g.replies)
	g.pass(time.Second + 20*time.Millisecond)
	require.Len(t, g.replies, 1)
	require.Equal(t, api.NoSession, g.replies[0].Code)
	_, err = n.Dismiss(g.now, s)
	require.ErrorIs(t, err, core.ErrNoSession)
}

// Where sessions have no leases, no instant is known at which a client has ceased to believe in its session.
func TestASessionWithoutALeaseIsNotEndedByOrder(t *testing.T) {
	g := newGroup(t, 1)
	g.pass(3 * time.Second)
	s := g.open(1)
	_, err := g.nodes[1].Dismiss(g.now, s)
	require.ErrorIs(t, err, core.ErrNoLeases)
}
