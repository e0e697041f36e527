package client_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/replica/api"
)

var keepLock = client.OpenOptions{Rights: readWrite, Create: client.CreateMay, KeepLock: time.Minute}

// C10.13: a lock that is released and acquired again, with nothing else asking for it, costs no message.
func TestALockIsKeptForTheNextAcquire(t *testing.T) {
	cachingWorld(t, func(w *world, ctx context.Context, other *client.Client) {
		h := opened(t, ctx, w.c, "f", keepLock)
		l, err := h.Acquire(ctx, client.Exclusive)
		require.NoError(t, err)
		sequencer := l.Sequencer()
		require.Zero(t, w.asks(func() {
			for range 5 {
				require.NoError(t, l.Release(ctx))
				require.ErrorIs(t, l.Err(), client.ErrNotHeld)
				require.Error(t, l.Context().Err())
				l, err = h.Acquire(ctx, client.Exclusive)
				require.NoError(t, err)
				require.True(t, l.Held())
				require.Equal(t, sequencer, l.Sequencer(), "it is the same acquisition")
			}
		}))
		_, err = h.TryAcquire(ctx, client.Exclusive)
		require.ErrorIs(t, err, client.ErrLockHeld)
		_, err = h.Events().Next(ctx)
		require.ErrorIs(t, err, client.ErrInvalid, "the program has asked for no events")

		theirs := opened(t, ctx, other, "f", client.OpenOptions{Rights: readWrite})
		require.NoError(t, l.Release(ctx))
		began := time.Now()
		taken, err := theirs.Acquire(ctx, client.Exclusive)
		require.NoError(t, err)
		require.Less(t, time.Since(began), time.Second, "it is given up as soon as another handle asks for it")
		_, err = h.TryAcquire(ctx, client.Exclusive)
		require.ErrorIs(t, err, client.ErrLockHeld)
		require.NoError(t, taken.Release(ctx))
		_, err = h.TryAcquire(ctx, client.Shared)
		require.NoError(t, err)
	})
}

// A program that does not know what became of a request gives a kept lock up: the next acquisition has a higher
// generation, by which a resource knows what is late.
func TestALockThatIsGivenUpIsNotKept(t *testing.T) {
	cachingWorld(t, func(w *world, ctx context.Context, other *client.Client) {
		h := opened(t, ctx, w.c, "f", keepLock)
		l, err := h.Acquire(ctx, client.Exclusive)
		require.NoError(t, err)
		first := l.Sequencer()
		require.NotZero(t, w.asks(func() { require.NoError(t, l.GiveUp(ctx)) }))
		require.ErrorIs(t, l.Err(), client.ErrNotHeld)
		require.NoError(t, l.GiveUp(ctx), "again")
		l, err = h.Acquire(ctx, client.Exclusive)
		require.NoError(t, err)
		require.NotEqual(t, first, l.Sequencer())
		later, err := client.ParseSequencer(l.Sequencer())
		require.NoError(t, err)
		earlier, err := client.ParseSequencer(first)
		require.NoError(t, err)
		require.Greater(t, later.Generation, earlier.Generation)

		require.NoError(t, l.Release(ctx))
		require.Len(t, w.cell.holders("f"), 1)
		require.NoError(t, l.Release(ctx), "again")
		require.NoError(t, l.GiveUp(ctx), "it is kept, and then given up")
		require.Empty(t, w.cell.holders("f"))
		require.NoError(t, l.Release(ctx), "it has had its answer")

		plain := opened(t, ctx, other, "g", client.OpenOptions{Rights: readWrite, Create: client.CreateMay})
		m, err := plain.Acquire(ctx, client.Exclusive)
		require.NoError(t, err)
		require.NoError(t, m.GiveUp(ctx))
		require.NoError(t, m.Release(ctx), "it is the same here")
	})
}

// A lock that was asked for while the program used it is freed by its Release.
func TestALockThatIsWantedIsReleased(t *testing.T) {
	cachingWorld(t, func(w *world, ctx context.Context, other *client.Client) {
		h, theirs := opened(t, ctx, w.c, "f", keepLock), opened(t, ctx, other, "f", client.OpenOptions{Rights: readWrite})
		l, err := h.Acquire(ctx, client.Exclusive)
		require.NoError(t, err)
		got := make(chan error)
		go func() {
			_, err := theirs.Acquire(ctx, client.Exclusive)
			got <- err
		}()
		synctest.Wait()
		time.Sleep(time.Second)
		require.NoError(t, l.Release(ctx))
		began := time.Now()
		require.NoError(t, <-got)
		require.Less(t, time.Since(began), time.Second)
	})
}

// A lock is not kept for longer than the program allows, nor beyond Close, nor in another mode, nor where a
// word that it is wanted may have been missed.
func TestALockIsNotKeptForEver(t *testing.T) {
	rows := map[string]func(w *world, ctx context.Context, h *client.Handle){
		"time":  func(*world, context.Context, *client.Handle) { time.Sleep(time.Minute + 10*time.Second) },
		"close": func(_ *world, ctx context.Context, h *client.Handle) { _ = h.Close(ctx) },
		"another mode": func(_ *world, ctx context.Context, h *client.Handle) {
			l, err := h.Acquire(ctx, client.Shared)
			require.NoError(t, err)
			require.NoError(t, l.Release(ctx))
			time.Sleep(2 * time.Minute)
		},
		"a fail-over": func(w *world, _ context.Context, _ *client.Handle) {
			w.cell.set(func() { w.cell.failover(3) })
			time.Sleep(20 * time.Second)
		},
		"a master that gives no leases": func(w *world, _ context.Context, _ *client.Handle) {
			w.cell.set(func() { w.cell.failover(3); w.cell.leases.none = true })
			time.Sleep(fakeLease - time.Second) // the session is alive
		},
		"an event that tells of missed ones": func(w *world, _ context.Context, h *client.Handle) {
			w.cell.set(func() {
				w.cell.tellSession(w.c.Status().Session, api.Event{Kind: api.EventReadAgain, Node: w.cell.refOf("f")})
			})
			time.Sleep(time.Second)
		},
	}
	for what, f := range rows {
		cachingWorld(t, func(w *world, ctx context.Context, _ *client.Client) {
			h := opened(t, ctx, w.c, "f", keepLock)
			l, err := h.Acquire(ctx, client.Exclusive)
			require.NoError(t, err)
			require.NoError(t, l.Release(ctx))
			require.Len(t, w.cell.holders("f"), 1, what)
			f(w, ctx, h)
			require.Empty(t, w.cell.holders("f"), what)
		})
	}
}

// The program has released the lock: that the handle is poisoned, and closed later or not at all, does not keep the lock
// from others, who can ask this Client for it no longer.
func TestAPoisonedHandleKeepsNoLock(t *testing.T) {
	cachingWorld(t, func(w *world, ctx context.Context, other *client.Client) {
		h := opened(t, ctx, w.c, "f", keepLock)
		l, err := h.Acquire(ctx, client.Exclusive)
		require.NoError(t, err)
		require.NoError(t, l.Release(ctx))
		require.Len(t, w.cell.holders("f"), 1)
		h.Poison()
		_, err = h.Acquire(ctx, client.Exclusive)
		require.ErrorIs(t, err, client.ErrPoisoned)
		theirs := opened(t, ctx, other, "f", client.OpenOptions{Rights: readWrite})
		_, err = theirs.Acquire(ctx, client.Exclusive)
		require.NoError(t, err, "it waits for no other than the Release")
		require.NoError(t, l.Release(ctx), "again")
		require.NoError(t, h.Close(ctx))
	})
}

// C6.16: a handle with a sequencer acquires its lock only while that is valid, as only the cell can tell.
func TestAHandleWithASequencerKeepsNoLock(t *testing.T) {
	cachingWorld(t, func(w *world, ctx context.Context, _ *client.Client) {
		g := opened(t, ctx, w.c, "g", client.OpenOptions{Rights: readWrite, Create: client.CreateMay})
		main, err := g.Acquire(ctx, client.Exclusive)
		require.NoError(t, err)
		h := opened(t, ctx, w.c, "f", keepLock)
		require.NoError(t, h.SetSequencer(ctx, main.Sequencer()))
		l, err := h.Acquire(ctx, client.Exclusive)
		require.NoError(t, err)
		require.NoError(t, l.Release(ctx))
		require.NoError(t, main.Release(ctx))
		_, err = h.Acquire(ctx, client.Exclusive)
		require.ErrorIs(t, err, client.ErrStaleSequencer)

		h = opened(t, ctx, w.c, "f", keepLock)
		l, err = h.Acquire(ctx, client.Exclusive)
		require.NoError(t, err)
		require.NoError(t, l.Release(ctx)) // is kept
		main, err = g.Acquire(ctx, client.Exclusive)
		require.NoError(t, err)
		require.NoError(t, h.SetSequencer(ctx, main.Sequencer()))
		require.NoError(t, main.Release(ctx))
		_, err = h.TryAcquire(ctx, client.Exclusive)
		require.ErrorIs(t, err, client.ErrStaleSequencer)
	})
}

// In jeopardy a kept lock is not given to the program: the session may be over.
func TestAKeptLockIsNotGivenInJeopardy(t *testing.T) {
	cachingWorld(t, func(w *world, ctx context.Context, _ *client.Client) {
		h := opened(t, ctx, w.c, "f", keepLock)
		l, err := h.Acquire(ctx, client.Exclusive)
		require.NoError(t, err)
		require.NoError(t, l.Release(ctx))
		w.cut(w.rt)
		time.Sleep(w.c.Status().Bound.Sub(w.rt.Now()))
		_, err = h.Acquire(w.within(time.Second), client.Exclusive)
		require.ErrorIs(t, err, client.ErrJeopardy)
		w.cut(nil)
	})
}
