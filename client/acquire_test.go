package client_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/client"
)

// An Acquire whose context ends leaves no outcome open: it is taken back, and others get the lock.
func TestAnAcquireThatIsGivenUpIsWithdrawn(t *testing.T) {
	bubble(t, nil, func(w *world) {
		ctx := w.within(time.Hour)
		theirs := w.guest(nil)
		other := lockable(t, ctx, theirs.Client)
		held, err := other.Acquire(ctx, client.Exclusive)
		require.NoError(t, err)

		mine := lockable(t, ctx, w.c)
		short, cancel := context.WithCancel(ctx)
		time.AfterFunc(time.Second, cancel) // a clean shutdown
		_, err = mine.Acquire(short, client.Exclusive)
		require.EqualError(t, err, `client: acquire "/ls/local/f": withdrawn: context canceled`)
		require.ErrorIs(t, err, client.ErrWithdrawn)
		require.ErrorIs(t, err, context.Canceled)
		require.NotErrorIs(t, err, client.ErrOutcomeUnknown)

		time.AfterFunc(time.Second, mine.Poison)
		_, err = mine.Acquire(ctx, client.Exclusive)
		require.ErrorIs(t, err, client.ErrWithdrawn)
		require.ErrorIs(t, err, client.ErrPoisoned)

		require.NoError(t, held.Release(ctx))
		again, err := other.TryAcquire(ctx, client.Exclusive)
		require.NoError(t, err, "neither waits for it any more")
		require.NoError(t, again.Release(ctx))

		_, err = mine.Acquire(short, client.Exclusive)
		require.ErrorIs(t, err, client.ErrPoisoned, "what was not sent is not withdrawn")
		require.NotErrorIs(t, err, client.ErrWithdrawn)
	})
}
