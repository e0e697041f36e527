package client_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/replica/api"
)

// lockable opens the file /ls/local/f of a client, so that its lock can be had.
func lockable(t *testing.T, ctx context.Context, c *client.Client) *client.Handle {
	f, err := c.Open(ctx, "/ls/local/f", client.OpenOptions{Rights: client.Read | client.Write, Create: client.CreateMay})
	require.NoError(t, err)
	return f
}

func TestALockIsHeldUntilItIsReleased(t *testing.T) {
	bubble(t, nil, func(w *world) {
		ctx := w.within(time.Minute)
		mine, theirs := lockable(t, ctx, w.c), lockable(t, ctx, w.guest(nil).Client)
		l, err := mine.Acquire(ctx, client.Exclusive)
		require.NoError(t, err)
		require.True(t, l.Held())
		require.NoError(t, l.Err())
		require.NoError(t, l.Context().Err())
		require.NoError(t, theirs.CheckSequencer(ctx, l.Sequencer()))
		asked, err := mine.GetSequencer(ctx)
		require.NoError(t, err)
		require.Equal(t, l.Sequencer(), asked)
		_, err = theirs.TryAcquire(ctx, client.Shared)
		require.EqualError(t, err, `client: try-acquire "/ls/local/f": lock held`)

		got := make(chan *client.Lock)
		go func() {
			l, err := theirs.Acquire(ctx, client.Exclusive)
			require.NoError(t, err)
			got <- l
		}()
		time.Sleep(20 * time.Second) // the lease is renewed
		require.True(t, l.Held())
		require.NoError(t, l.Release(ctx))
		next := <-got
		require.True(t, next.Held())

		require.False(t, l.Held())
		require.EqualError(t, l.Err(), `client: lock "/ls/local/f": lock not held`)
		<-l.Done()
		require.ErrorIs(t, context.Cause(l.Context()), client.ErrNotHeld)
		require.ErrorIs(t, mine.CheckSequencer(ctx, l.Sequencer()), client.ErrStaleSequencer)
		require.ErrorIs(t, mine.CheckSequencer(ctx, "junk"), client.ErrInvalid)
		require.NoError(t, l.Release(ctx), "once more, of this acquisition")
		require.True(t, next.Held())
		require.Len(t, w.cell.holders("f"), 1)
		_, err = mine.GetSequencer(ctx)
		require.ErrorIs(t, err, client.ErrNotHeld)
	})
}

func TestAHandleWithASequencerIsGoodAsLongAsThat(t *testing.T) {
	bubble(t, nil, func(w *world) {
		ctx := w.within(time.Minute)
		mine, theirs := lockable(t, ctx, w.c), lockable(t, ctx, w.guest(nil).Client)
		l, err := mine.Acquire(ctx, client.Shared)
		require.NoError(t, err)
		require.NoError(t, theirs.SetSequencer(ctx, l.Sequencer()))
		_, err = theirs.SetContents(ctx, "x", 0)
		require.NoError(t, err)
		require.NoError(t, l.Release(ctx))
		_, err = theirs.SetContents(ctx, "y", 0)
		require.ErrorIs(t, err, client.ErrStaleSequencer)
		w.cell.set(func() { w.cell.failover(1) })
		_, err = theirs.SetContents(ctx, "z", 0)
		require.ErrorIs(t, err, client.ErrStaleSequencer, "a new master learns of it from the handle")
		require.ErrorIs(t, theirs.SetSequencer(ctx, l.Sequencer()), client.ErrStaleSequencer)
	})
}

// A Release continues when its context ends, and the cell executes it before later calls on the
// same handle.
func TestAReleaseSurvivesItsCaller(t *testing.T) {
	bubble(t, nil, func(w *world) {
		ctx := w.within(time.Minute)
		f := lockable(t, ctx, w.c)
		l, err := f.Acquire(ctx, client.Exclusive)
		require.NoError(t, err)
		over, cancel := context.WithCancel(ctx)
		cancel()
		w.fault(everything)
		err = l.Release(over)
		require.ErrorIs(t, err, client.ErrOutcomeUnknown)
		require.ErrorIs(t, err, context.Canceled)
		require.False(t, l.Held(), "from now on")
		again := make(chan *client.Lock)
		go func() {
			l, err := f.Acquire(ctx, client.Exclusive)
			require.NoError(t, err)
			again <- l
		}()
		time.Sleep(time.Second)
		require.Len(t, w.cell.holders("f"), 1)
		w.fault(nil)
		second := <-again
		require.NoError(t, l.Release(ctx), "it was released, and is known to be")
		require.True(t, second.Held())
		held := w.cell.holders("f")
		require.Len(t, held, 1)
		require.NotEqual(t, l.Sequencer(), second.Sequencer())
	})
}

// A cancelled Acquire does not have the lock, and will not get it.
func TestAnAcquireThatIsGivenUpHoldsNothing(t *testing.T) {
	bubble(t, nil, func(w *world) {
		ctx := w.within(time.Hour)
		mine, theirs := lockable(t, ctx, w.c), lockable(t, ctx, w.guest(nil).Client)
		l, err := mine.Acquire(ctx, client.Exclusive)
		require.NoError(t, err)
		_, err = theirs.Acquire(w.within(30*time.Second), client.Exclusive) // while it waits at the cell
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.NoError(t, l.Release(ctx))
		require.Empty(t, w.cell.holders("f"))

		w.fault(onlyAnswers) // it gets the lock, and the answer is lost
		_, err = theirs.Acquire(w.within(time.Second), client.Exclusive)
		require.ErrorIs(t, err, client.ErrWithdrawn)
		require.Len(t, w.cell.holders("f"), 1)
		w.fault(nil)
		l, err = theirs.Acquire(ctx, client.Exclusive)
		require.NoError(t, err, "not the lock that is being given back")
		time.Sleep(time.Minute)
		require.True(t, l.Held())
		require.Len(t, w.cell.holders("f"), 1)
	})
}

// The answer that a lock is held comes behind the word that its node is about to be deleted: it is not held, and
// is given back.
func TestALockThatIsDroppedBeforeItsAnswerIsNotHeld(t *testing.T) {
	bubble(t, nil, func(w *world) {
		ctx := w.within(time.Hour)
		mine := lockable(t, ctx, w.c)
		w.fault(onlyAnswers) // it gets the lock, and the answer is late
		got := make(chan error)
		go func() {
			_, err := mine.Acquire(ctx, client.Exclusive)
			got <- err
		}()
		time.Sleep(10 * time.Millisecond)
		require.Len(t, w.cell.holders("f"), 1)
		w.fault(func(_ uint32, answer bool) bool { return !answer }) // but the word comes
		w.cell.set(func() {
			w.cell.tellSession(w.c.Status().Session, api.Event{Kind: api.EventDropLocks, Node: w.cell.refOf("f"), Drop: 1})
		})
		time.Sleep(10 * time.Millisecond)
		w.fault(nil)
		require.ErrorIs(t, <-got, client.ErrNotHeld)
		time.Sleep(time.Minute)
		require.Empty(t, w.cell.holders("f"))
	})
}

// A handle that waits for its lock acquires it in no other mode meanwhile, though the cell would grant that.
func TestTryAcquireWhileTheHandleAcquires(t *testing.T) {
	bubble(t, nil, func(w *world) {
		ctx := w.within(time.Hour)
		f, theirs := lockable(t, ctx, w.c), lockable(t, ctx, w.guest(nil).Client)
		shared, err := theirs.Acquire(ctx, client.Shared)
		require.NoError(t, err)
		got := make(chan error)
		go func() {
			_, err := f.Acquire(ctx, client.Exclusive)
			got <- err
		}()
		synctest.Wait()
		_, err = f.TryAcquire(ctx, client.Shared)
		require.ErrorIs(t, err, client.ErrLockHeld)
		require.NoError(t, shared.Release(ctx))
		require.NoError(t, <-got)
	})
}

func TestCallersThatShareAHandleExcludeEachOther(t *testing.T) {
	bubble(t, nil, func(w *world) {
		ctx := w.within(time.Hour)
		f := lockable(t, ctx, w.c)
		var inside, most, turns atomic.Int32
		var wg sync.WaitGroup
		for range 5 {
			wg.Go(func() {
				for range 10 {
					l, err := f.Acquire(ctx, client.Exclusive)
					require.NoError(t, err)
					most.Store(max(most.Load(), inside.Add(1)))
					turns.Add(1)
					_, err = f.TryAcquire(ctx, client.Shared)
					require.ErrorIs(t, err, client.ErrLockHeld)
					time.Sleep(10 * time.Millisecond)
					inside.Add(-1)
					require.NoError(t, l.Release(ctx))
				}
			})
		}
		wg.Wait()
		require.Equal(t, int32(1), most.Load())
		require.Equal(t, int32(50), turns.Load())

		l, err := f.Acquire(ctx, client.Exclusive)
		require.NoError(t, err)
		_, err = f.Acquire(w.within(time.Second), client.Exclusive)
		require.EqualError(t, err, `client: acquire "/ls/local/f": context deadline exceeded: this handle holds the lock: release that first, or acquire by a handle of its own`)
		require.NoError(t, f.Close(ctx))
		require.ErrorIs(t, l.Err(), client.ErrClosed)
		require.NoError(t, l.Release(ctx), "it was freed with the handle")
	})
}

// C9.03, C11.16 to C11.20, from the side of a program.
func TestInJeopardyNothingIsHeldAndNothingIsLost(t *testing.T) {
	bubble(t, nil, func(w *world) {
		ctx := w.within(time.Hour)
		events := w.c.Events()
		f := lockable(t, ctx, w.c)
		l, err := f.Acquire(ctx, client.Exclusive)
		require.NoError(t, err)
		w.fault(everything)
		time.Sleep(15 * time.Second)
		w.cell.set(func() { w.cell.failover(3) }) // gives every session a lease
		time.Sleep(5 * time.Second)
		require.False(t, l.Held())
		require.ErrorIs(t, l.Err(), client.ErrJeopardy)
		require.NoError(t, l.Context().Err(), "it may come back")
		_, err = f.Stat(w.within(time.Second))
		require.ErrorIs(t, err, client.ErrJeopardy)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.NotErrorIs(t, err, client.ErrOutcomeUnknown)
		require.ErrorIs(t, w.c.Ready(w.within(time.Second)), client.ErrJeopardy)
		require.Equal(t, client.Event{Cell: "local", Kind: client.EventJeopardy}, next(t, ctx, events))

		w.fault(nil)
		require.NoError(t, w.c.Ready(ctx))
		require.True(t, l.Held())
		require.Equal(t, client.Event{Cell: "local", Kind: client.EventFailover, Epoch: 2}, next(t, ctx, events))
		require.Equal(t, client.Event{Cell: "local", Kind: client.EventSafe}, next(t, ctx, events))
		time.Sleep(time.Minute)
		require.True(t, l.Held())
		require.Len(t, w.cell.holders("f"), 1, "it was presented to the new master")
		require.NoError(t, l.Release(ctx))
	})
}

func next(t *testing.T, ctx context.Context, e *client.Events) client.Event {
	got, err := e.Next(ctx)
	require.NoError(t, err)
	return got
}

// The cell grants the lock to another client as soon as the rules allow. The first client
// does not hold it then.
func TestALockIsNeverHeldByTwo(t *testing.T) {
	bubble(t, nil, func(w *world) {
		ctx := w.within(time.Hour)
		events := w.c.Events()
		mine := lockable(t, ctx, w.c)
		other := w.guest(nil)
		l, err := mine.Acquire(ctx, client.Exclusive)
		require.NoError(t, err)
		theirs := lockable(t, ctx, other.Client)
		got := make(chan *client.Lock, 1)
		go func() {
			l, err := theirs.Acquire(ctx, client.Exclusive)
			require.NoError(t, err)
			got <- l
		}()
		w.cut(w.rt)
		var next *client.Lock
		for next == nil {
			held := l.Held()
			select {
			case next = <-got:
				require.False(t, held)
			case <-time.After(10 * time.Millisecond):
			}
		}
		require.True(t, next.Held())
		require.ErrorIs(t, l.Err(), client.ErrJeopardy)
		<-l.Done()
		require.ErrorIs(t, context.Cause(l.Context()), client.ErrSessionExpired)
		require.ErrorIs(t, l.Release(ctx), client.ErrSessionExpired)
		require.NoError(t, mine.Close(ctx))
		_, err = mine.Stat(ctx)
		require.ErrorIs(t, err, client.ErrClosed)
		require.Equal(t, client.EventJeopardy, first(t, ctx, events))
		require.Equal(t, client.EventExpired, first(t, ctx, events))
		w.cut(nil)
		require.True(t, next.Held(), "what the lost one does frees nothing")
	})
}

func first(t *testing.T, ctx context.Context, e *client.Events) client.EventKind {
	return next(t, ctx, e).Kind
}

// Without leases a client cannot know what it holds.
func TestWithoutALeaseNothingIsBelieved(t *testing.T) {
	bubble(t, nil, func(w *world) {
		ctx := w.within(time.Minute)
		w.cell.set(func() { w.cell.leases.none = true })
		l, err := lockable(t, ctx, w.c).Acquire(ctx, client.Exclusive)
		require.NoError(t, err)
		require.False(t, l.Held())
		require.NoError(t, l.Release(ctx))
	})
}

// Closing the client frees its locks at once.
func TestCloseFreesLocks(t *testing.T) {
	bubble(t, nil, func(w *world) {
		ctx := w.within(time.Minute)
		g := w.guest(nil)
		l, err := lockable(t, ctx, g.Client).Acquire(ctx, client.Exclusive)
		require.NoError(t, err)
		require.NoError(t, g.Close(ctx))
		require.ErrorIs(t, l.Err(), client.ErrClosed)
		require.NoError(t, l.Release(ctx))
		require.Empty(t, w.cell.holders("f"))
	})
}
