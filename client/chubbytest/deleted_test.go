package chubbytest_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/client/chubbytest"
)

var locked = client.OpenOptions{Rights: client.Write, Create: client.CreateMay}

// taken opens the file at a path, which is made if need be, and acquires its lock.
func taken(t *testing.T, ctx context.Context, c *client.Client, path string) *client.Lock {
	h, err := c.Open(ctx, path, locked)
	require.NoError(t, err)
	l, err := h.Acquire(ctx, client.Exclusive)
	require.NoError(t, err)
	return l
}

// A file goes while its lock is held. The holder, which makes no call, counts on the lock no more when the
// Delete has returned, and so before another program has the lock of the file that is made next; whether
// another client deletes, or the holder's own by another handle.
func TestALockIsLostBeforeItsFileIsDeleted(t *testing.T) {
	cached(t, func(ctx context.Context, _ *chubbytest.Cell, holder, other *client.Client) {
		for _, deleter := range []*client.Client{other, holder} {
			first := taken(t, ctx, holder, "/ls/local/job")
			h, err := deleter.Open(ctx, "/ls/local/job", locked)
			require.NoError(t, err)
			require.True(t, first.Held())
			require.NoError(t, h.Delete(ctx))
			require.False(t, first.Held())
			require.ErrorIs(t, first.Err(), client.ErrGone)
			<-first.Done()
			second := taken(t, ctx, other, "/ls/local/job")
			require.True(t, second.Held())
			require.NoError(t, second.Release(ctx))
		}
	})
}

// A holder that is cut off is waited for until its lease has ended, and no longer.
func TestADeletionWaitsForALeaseAtMost(t *testing.T) {
	cached(t, func(ctx context.Context, cell *chubbytest.Cell, holder, other *client.Client) {
		l := taken(t, ctx, holder, "/ls/local/job")
		h, err := other.Open(ctx, "/ls/local/job", locked)
		require.NoError(t, err)
		cell.CutClient(holder)
		began := time.Now()
		require.NoError(t, h.Delete(ctx))
		require.False(t, l.Held())
		require.Less(t, time.Since(began), 2*lease)
	})
}
