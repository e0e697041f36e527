package replica_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica"
	"github.com/chubbycell/chubby/replica/driver"
	"github.com/chubbycell/chubby/replica/state/tree"
)

// Limits that were set hold at every replica, at the next master, and at replicas that read them back
// from a snapshot.
func TestLimitsThatWereSetOutliveReplicas(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	c := newCell(t, 3, func(c *cell) {
		c.tune = func(h *driver.Config) { h.SnapshotEvery, h.KeepSlots = 4, 2 }
	})
	first := c.master(ctx, 0)
	set := func(id paxos.NodeID, nodes, sessions uint64) error {
		l := replica.Limits{Sessions: sessions}
		l.Principal.Nodes = nodes
		return c.replica(id).SetLimits(ctx, l)
	}
	require.NoError(t, set(first.ID, 9000, 0))
	require.NoError(t, set(first.ID, 0, 40))
	for id := range paxos.NodeID(3) {
		if id++; id != first.ID {
			require.ErrorIs(t, set(id, 1, 1), replica.ErrNotMaster)
		}
	}
	require.ErrorIs(t, set(first.ID, 0, 1<<30), replica.ErrLimit)

	cl := c.client(11)
	for range 20 { // snapshots cover the commands
		require.NoError(t, cl.Put(ctx, "row", "value"))
	}
	require.NoError(t, cl.Close(ctx))
	require.NoError(t, c.replica(first.ID).Resign(ctx))
	c.master(ctx, first.Epoch)
	for id := range paxos.NodeID(3) {
		c.stop(id + 1)
	}
	for id := range paxos.NodeID(3) {
		c.start(id + 1)
	}
	again := c.master(ctx, first.Epoch+1)
	o, err := c.replica(again.ID).Overview(ctx, 0)
	require.NoError(t, err)
	want := tree.DefaultLimits()
	want.Principal.Nodes = 9000
	require.Equal(t, want, o.Limits)
	require.EqualValues(t, 40, o.MostAlive)
	require.Positive(t, o.Snapshot)
}

// A limit below what is in use is refused, and the error tells what is in use.
func TestALimitBelowWhatIsInUseIsRefused(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	c := newCell(t, 1)
	m := c.master(ctx, 0)
	cl, _ := c.mutable(11, "ann")
	for _, name := range []string{"/ls/local/a", "/ls/local/b"} {
		_, err := cl.Open(ctx, name, client.OpenOptions{Rights: client.Read, Create: client.CreateMay, Contents: "four"})
		require.NoError(t, err)
	}
	_, _ = c.mutable(12, "bob")
	for text, l := range map[string]replica.Limits{
		`limit principal_nodes=1: principal "ann" owns 2`: {Limits: tree.Limits{Principal: tree.Usage{Nodes: 1}}},
		`limit principal_bytes=7: principal "ann" owns 8`: {Limits: tree.Limits{Principal: tree.Usage{Bytes: 7}}},
		`limit directory_nodes=1: directory / holds 3`:    {Limits: tree.Limits{Directory: tree.Usage{Nodes: 1}}},
	} {
		err := c.replica(m.ID).SetLimits(ctx, l)
		require.ErrorIs(t, err, replica.ErrLimit)
		require.EqualError(t, err, text)
	}
	o, err := c.replica(m.ID).Overview(ctx, 0)
	require.NoError(t, err)
	require.Equal(t, tree.DefaultLimits(), o.Limits)
	require.NoError(t, c.replica(m.ID).SetLimits(ctx, replica.Limits{Limits: tree.Limits{Principal: tree.Usage{Nodes: 2, Bytes: 8}}}))
	_, err = cl.Open(ctx, "/ls/local/c", client.OpenOptions{Rights: client.Read, Create: client.CreateMust})
	require.ErrorIs(t, err, client.ErrQuota)
}

// While the other replicas are gone no command is chosen: the caller is told that the outcome is unknown.
func TestALimitThatIsNotChosenInTimeIsUnknown(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	c := newCell(t, 3)
	m := c.master(ctx, 0)
	for id := range paxos.NodeID(3) {
		if id++; id != m.ID {
			c.stop(id)
		}
	}
	short, stop := context.WithTimeout(ctx, 500*time.Millisecond)
	defer stop()
	err := c.replica(m.ID).SetLimits(short, replica.Limits{Sessions: 40})
	require.ErrorIs(t, err, replica.ErrLimitsUnknown)
	require.NotErrorIs(t, err, replica.ErrNotMaster)
}
