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

// An Acquire by the handle that holds the lock waits for its turn, and says at the end of its context for what.
func TestASecondAcquireOfAHandleSaysWhatItWaitsFor(t *testing.T) {
	bubble(t, nil, func(w *world) {
		ctx := w.within(time.Hour)
		mine, theirs := lockable(t, ctx, w.c), lockable(t, ctx, w.guest(nil).Client)
		l, err := mine.Acquire(ctx, client.Exclusive)
		require.NoError(t, err)
		_, err = mine.Acquire(w.within(time.Second), client.Exclusive)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.ErrorContains(t, err, "this handle holds the lock: release that first")

		first := make(chan error)
		go func() {
			_, err := theirs.Acquire(w.within(10*time.Second), client.Exclusive)
			first <- err
		}()
		time.Sleep(time.Second)
		_, err = theirs.Acquire(w.within(time.Second), client.Exclusive)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.ErrorContains(t, err, "another Acquire of this handle is under way")
		require.ErrorIs(t, <-first, client.ErrWithdrawn)
		require.NoError(t, l.Release(ctx))
	})
}

// A read without an answer is an unknown outcome, and leaves nothing to settle.
func TestAReadWithoutAnAnswerHasNoEffect(t *testing.T) {
	bubble(t, nil, func(w *world) {
		ctx := w.within(time.Hour)
		f := lockable(t, ctx, w.c)
		w.fault(everything)
		_, err := w.c.Get(w.within(time.Second), "k")
		require.ErrorIs(t, err, client.ErrOutcomeUnknown)
		require.EqualError(t, err, `client: get "k": outcome unknown of a read, which changes nothing: context deadline exceeded`)
		_, _, err = f.Contents(w.within(time.Second))
		require.ErrorContains(t, err, "of a read, which changes nothing")
		_, err = f.SetContents(w.within(time.Second), "x", 0)
		require.NotContains(t, err.Error(), "of a read")
	})
}
