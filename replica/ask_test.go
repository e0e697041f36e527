package replica_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica"
	"github.com/chubbycell/chubby/replica/api"
)

// master waits for a replica that serves in an epoch later than after, and returns its status.
func (c *cell) master(ctx context.Context, after api.Epoch) replica.Status {
	var found replica.Status
	require.Eventually(c.t, func() bool {
		for i := range c.dirs {
			if r := c.replica(paxos.NodeID(i + 1)); r != nil {
				s, err := r.Status(ctx)
				require.NoError(c.t, err)
				if s.Serving && s.Epoch > after {
					found = s
					return true
				}
			}
		}
		return false
	}, 20*time.Second, time.Millisecond)
	return found
}

func TestAMasterThatResignsIsFollowedInAnotherEpoch(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	c := newCell(t, 3)
	cl := c.client(1)
	require.NoError(t, cl.Put(ctx, "a", "1"))
	first := c.master(ctx, 0)
	require.Equal(t, paxos.Leader, first.Role)
	require.Equal(t, first.ID, first.Leader)
	require.EqualValues(t, 1, first.Sessions)
	require.Positive(t, first.Records)
	require.Positive(t, first.SyncedIn.Count())
	require.Positive(t, first.ChosenIn.Count())
	require.Positive(t, first.ChosenIn.Sum())
	require.Positive(t, first.Lease)
	require.Zero(t, first.Disagreed)
	require.Positive(t, first.Applied)

	r := c.replica(first.ID)
	require.NoError(t, r.Resign(ctx))
	s, err := r.Status(ctx)
	require.NoError(t, err)
	require.False(t, s.Serving)
	require.NotEqual(t, paxos.Leader, s.Role)
	c.master(ctx, first.Epoch) // usually another replica; if the others are slow, the same one again
	require.NoError(t, cl.Put(ctx, "a", "2"))
	require.NoError(t, cl.Close(ctx))

	c.stop(first.ID)
	require.ErrorIs(t, r.Resign(ctx), replica.ErrStopped)
	_, err = r.Status(ctx)
	require.ErrorIs(t, err, replica.ErrStopped)
}
