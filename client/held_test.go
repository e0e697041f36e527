package client_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/client"
)

// Work under HeldContext stops in jeopardy, and work under Context goes on, as the lock may be held still.
func TestTheHeldContextEndsInJeopardy(t *testing.T) {
	bubble(t, nil, func(w *world) {
		ctx := w.within(time.Hour)
		l, err := lockable(t, ctx, w.c).Acquire(ctx, client.Exclusive)
		require.NoError(t, err)
		held := l.HeldContext()
		require.NoError(t, held.Err())
		require.Equal(t, held, l.HeldContext(), "one serves all that ask")

		w.cut(w.rt)
		<-held.Done()
		require.False(t, l.Held())
		require.ErrorIs(t, context.Cause(held), client.ErrJeopardy)
		require.ErrorIs(t, context.Cause(l.HeldContext()), client.ErrJeopardy, "one that is asked for in jeopardy has ended")
		require.NoError(t, l.Context().Err())

		w.cut(nil)
		require.NoError(t, w.c.Put(ctx, "k", "v")) // the session is saved
		require.True(t, l.Held())
		require.Error(t, held.Err(), "it does not begin again")
		held = l.HeldContext()
		require.NoError(t, held.Err())

		require.NoError(t, l.Release(ctx))
		synctest.Wait()
		require.ErrorIs(t, context.Cause(held), client.ErrNotHeld)
		require.ErrorIs(t, context.Cause(l.HeldContext()), client.ErrNotHeld)
	})
}

// Where a new master gives no leases, no lock is known to be held.
func TestTheHeldContextEndsWithTheLeasesOfTheCell(t *testing.T) {
	bubble(t, nil, func(w *world) {
		ctx := w.within(time.Hour)
		l, err := lockable(t, ctx, w.c).Acquire(ctx, client.Exclusive)
		require.NoError(t, err)
		held := l.HeldContext()
		w.cell.set(func() { w.cell.failover(3); w.cell.leases.none = true })
		for l.Held() {
			time.Sleep(time.Second)
		}
		synctest.Wait()
		require.ErrorIs(t, context.Cause(held), client.ErrJeopardy)
	})
}

// The session of a Client that the program has closed is not known to be alive.
func TestAClosedClientHasNoLease(t *testing.T) {
	bubble(t, nil, func(w *world) {
		_, ok := w.c.LeaseLeft()
		require.False(t, ok)
		require.NoError(t, w.c.Ready(w.within(time.Minute)))
		left, ok := w.c.LeaseLeft()
		require.True(t, ok)
		require.Positive(t, left)
		require.NoError(t, w.c.Close(w.within(time.Minute)))
		_, ok = w.c.LeaseLeft()
		require.False(t, ok)
	})
}

// That holds as well if its session had expired before.
func TestAClosedClientHasNoLeaseAfterItsSessionExpired(t *testing.T) {
	bubble(t, nil, func(w *world) {
		lockable(t, w.within(time.Minute), w.c) // an open handle, so the session is not renewed
		w.cut(w.rt)
		time.Sleep(5 * time.Minute)
		require.ErrorIs(t, w.c.Ready(w.within(time.Minute)), client.ErrSessionExpired)
		left, ok := w.c.LeaseLeft()
		require.True(t, ok)
		require.Negative(t, left)
		w.cut(nil)
		require.NoError(t, w.c.Close(w.within(time.Minute)))
		_, ok = w.c.LeaseLeft()
		require.False(t, ok)
	})
}
