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
)

// The session of a client that is alive ends by an operator's order, and the client is told. Only the master takes the
// order, and a list of sessions shows it.
func TestAnOperatorEndsASession(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	c := newCell(t, 3, func(c *cell) {
		c.tune = func(h *driver.Config) { h.Core.Sessions.LeaseMin = time.Second }
	})
	m := c.master(ctx, 0)
	cl := c.client(11)
	h, err := cl.Open(ctx, "/ls/local/job", client.OpenOptions{Rights: client.Write, Create: client.CreateMay})
	require.NoError(t, err)
	lock, err := h.Acquire(ctx, client.Exclusive)
	require.NoError(t, err)
	s := cl.Status().Session
	for id := range paxos.NodeID(3) {
		if id++; id != m.ID {
			_, err := c.replica(id).Dismiss(ctx, s)
			require.ErrorIs(t, err, replica.ErrNotMaster)
		}
	}
	d, err := c.replica(m.ID).Dismiss(ctx, s)
	require.NoError(t, err)
	require.True(t, d.IsNew)
	require.Positive(t, d.Left)
	require.Equal(t, m.Epoch, d.Epoch)
	shown, ok, err := c.replica(m.ID).FindSession(ctx, s)
	require.NoError(t, err)
	require.True(t, ok && shown.IsDismissed && !shown.Expiring)
	require.Eventually(t, func() bool { return lock.Err() != nil }, 30*time.Second, time.Millisecond)
	require.Eventually(t, func() bool {
		_, err := c.replica(m.ID).Dismiss(ctx, s)
		return err != nil
	}, 30*time.Second, time.Millisecond)
	_, err = c.replica(m.ID).Dismiss(ctx, s)
	require.ErrorIs(t, err, replica.ErrNoSession)
	require.ErrorIs(t, cl.Put(ctx, "row", "value"), client.ErrSessionExpired)
}
