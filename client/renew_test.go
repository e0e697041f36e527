package client_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/replica/api"
)

// expire lets the session of the world's client expire while the client is disconnected.
func (w *world) expire() {
	w.cut(w.rt)
	time.Sleep(5 * time.Minute)
	w.cut(nil)
}

func TestAnUnusedSessionIsReplaced(t *testing.T) {
	bubble(t, nil, func(w *world) {
		ctx := w.within(time.Hour)
		require.NoError(t, w.c.Put(ctx, "k", "1"))
		h, err := w.c.Open(ctx, "/ls/local/f", client.OpenOptions{Rights: client.Write, Create: client.CreateMay})
		require.NoError(t, err)
		require.NoError(t, h.Close(ctx))
		was := w.c.Status().Session

		w.expire()
		v, err := w.c.Get(ctx, "k")
		require.NoError(t, err)
		require.Equal(t, "1", v)
		require.NotEqual(t, was, w.c.Status().Session)

		w.fault(everything)
		require.ErrorIs(t, w.c.Put(w.within(time.Second), "k", "2"), client.ErrOutcomeUnknown)
		w.fault(nil)
		_, err = w.c.Get(ctx, "k")
		require.NoError(t, err, "after which what it found is final")
		w.expire()
		require.NoError(t, w.c.Ready(ctx))
		_, err = w.c.Open(ctx, "/ls/local/f", client.OpenOptions{})
		require.NoError(t, err)
	})
}

// The close of a handle that stayed open for the next Open is no call of the program.
func TestAKeptHandleWhoseCloseIsLostIsNoLoss(t *testing.T) {
	cachingWorld(t, func(w *world, ctx context.Context, _ *client.Client) {
		closed(t, ctx, opened(t, ctx, w.c, "f", client.OpenOptions{}))
		require.Equal(t, 1, w.c.Status().Cache.Idle)
		was := w.c.Status().Session
		time.Sleep(25 * time.Second)
		w.cut(w.rt)
		time.Sleep(6 * time.Second)
		require.Zero(t, w.c.Status().Cache.Idle, "its time is over, and the lease is not")
		w.expire()
		opened(t, ctx, w.c, "f", client.OpenOptions{})
		require.NotEqual(t, was, w.c.Status().Session)
	})
}

// A call that was not sent before the session's end has no effect: it is made in
// the next session.
func TestACallThatWaitedInJeopardyGoesOn(t *testing.T) {
	bubble(t, nil, func(w *world) {
		ctx := w.within(time.Hour)
		require.NoError(t, w.c.Ready(ctx))
		was := w.c.Status().Session
		w.cut(w.rt)
		time.Sleep(40 * time.Second) // its lease is over, its grace is not
		done := make(chan error)
		for range 3 {
			go func() { done <- w.c.Put(ctx, "k", "1") }()
		}
		go func() { done <- w.c.Ready(ctx) }()
		time.Sleep(5 * time.Minute)
		w.cut(nil)
		for range 4 {
			require.NoError(t, <-done)
		}
		require.NotEqual(t, was, w.c.Status().Session)
	})
}

// behindAnAcquire cancels an Acquire whose cancellation the cell does not receive for some
// time, and a Put that follows it; then it reads the row. AckedThrough covers neither.
func (w *world) behindAnAcquire() {
	ctx := w.within(time.Hour)
	h, err := w.c.Open(ctx, "/ls/local/f", client.OpenOptions{Rights: client.Write, Create: client.CreateMay})
	require.NoError(w.t, err)
	w.cell.set(func() { w.cell.refuse = busyFor[api.Acquire] })
	_, err = h.Acquire(w.within(time.Second), client.Exclusive)
	require.ErrorIs(w.t, err, client.ErrWithdrawn)
	w.cell.set(func() { w.cell.refuse = busyFor[api.CancelAcquire] })
	w.fault(onlyAnswers)
	require.ErrorIs(w.t, w.c.Put(w.within(time.Second), "k", "1"), client.ErrOutcomeUnknown)
	w.fault(nil)
	_, err = w.c.Get(ctx, "k")
	require.NoError(w.t, err)
	require.NoError(w.t, h.Close(ctx))
	w.cell.set(func() { w.cell.refuse = nil })
}

// busyFor makes the cell refuse requests with such an op as busy.
func busyFor[O api.Op](_ uint32, q api.Request) (api.Reply, bool) {
	_, is := q.Op.(O)
	return q.Answer(1, api.Result{Code: api.Busy}), is
}

func TestASessionInUseStaysOver(t *testing.T) {
	for name, use := range map[string]func(w *world) error{
		"a handle": func(w *world) error {
			_, err := w.c.Open(w.within(time.Minute), "/ls/local/f", client.OpenOptions{Rights: client.Write, Create: client.CreateMay})
			return err
		},
		"an outcome": func(w *world) error {
			w.fault(onlyAnswers)
			go func() { _ = w.c.Put(w.within(time.Hour), "k", "1") }()
			time.Sleep(time.Second)
			w.fault(nil)
			return nil
		},
		"an unknown outcome": func(w *world) error {
			w.fault(everything)
			err := w.c.Put(w.within(time.Second), "k", "1")
			require.ErrorIs(w.t, err, client.ErrOutcomeUnknown)
			w.fault(nil)
			return nil
		},
		"an outcome that an answer does not settle": func(w *world) error {
			w.fault(onlyAnswers)
			go func() { _ = w.c.Put(w.within(time.Hour), "k", "1") }()
			time.Sleep(time.Millisecond)
			err := w.c.Put(w.within(time.Millisecond), "l", "1")
			require.ErrorIs(w.t, err, client.ErrOutcomeUnknown)
			w.fault(nil)
			_, err = w.c.Get(w.within(time.Minute), "k")
			require.NoError(w.t, err)
			time.Sleep(time.Minute) // by now the first one is answered, too
			return nil
		},
		"a handle that is being closed": func(w *world) error {
			ctx := w.within(time.Minute)
			h, err := w.c.Open(ctx, "/ls/local/f", client.OpenOptions{Rights: client.Write, Create: client.CreateMay})
			require.NoError(w.t, err)
			w.cut(w.rt)
			require.Error(w.t, h.Close(w.within(time.Second)))
			return nil
		},
		"an outcome behind an Acquire that is given up": func(w *world) error {
			w.behindAnAcquire()
			return nil
		},
		"a handle that may have been opened": func(w *world) error {
			w.fault(everything)
			_, err := w.c.Open(w.within(time.Second), "/ls/local/f", client.OpenOptions{})
			require.ErrorIs(w.t, err, client.ErrOutcomeUnknown)
			w.fault(nil)
			return w.c.Put(w.within(time.Minute), "k", "1")
		},
		"a read that ends with the session": func(w *world) error {
			w.fault(onlyAnswers)
			go func() { _, _ = w.c.Get(w.within(time.Hour), "k") }()
			time.Sleep(time.Millisecond)
			w.cut(w.rt)
			w.fault(nil)
			return nil
		},
		"a node that may yet be created": func(w *world) error {
			w.fault(everything)
			_, err := w.c.Open(w.within(time.Second), "/ls/local/f", client.OpenOptions{Create: client.CreateMay})
			require.ErrorIs(w.t, err, client.ErrOutcomeUnknown)
			w.cut(w.rt)
			w.fault(nil)
			return nil
		},
		"a node that may yet be created, and an answer to an earlier call": func(w *world) error {
			w.cell.set(func() { w.cell.refuse = busyFor[api.Open] })
			w.fault(onlyAnswers)
			put := make(chan error)
			go func() { put <- w.c.Put(w.within(time.Minute), "k", "1") }()
			time.Sleep(time.Millisecond)
			_, err := w.c.Open(w.within(time.Second), "/ls/local/f", client.OpenOptions{Create: client.CreateMay})
			require.ErrorIs(w.t, err, client.ErrOutcomeUnknown)
			w.fault(nil)
			require.NoError(w.t, <-put)
			w.cut(w.rt)
			w.cell.set(func() { w.cell.refuse = nil })
			return nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, nil, func(w *world) {
				ctx := w.within(time.Hour)
				require.NoError(t, w.c.Ready(ctx))
				require.NoError(t, use(w))
				w.expire()
				_, err := w.c.Get(ctx, "k")
				require.ErrorIs(t, err, client.ErrSessionExpired)
				require.ErrorIs(t, w.c.Ready(ctx), client.ErrSessionExpired)
			})
		})
	}
}

// A call whose context ended is no loss if it is an Open that the cell has answered in the background, or changes nothing,
// or only what ends with a handle that is closed.
func TestACallThatTimedOutNeedNotBeALoss(t *testing.T) {
	isUnknown := func(w *world, err error) {
		require.ErrorIs(w.t, err, client.ErrOutcomeUnknown)
		require.ErrorIs(w.t, err, context.DeadlineExceeded)
	}
	create := client.OpenOptions{Rights: client.Write, Create: client.CreateMay}
	for name, use := range map[string]func(w *world){
		"an Open that is answered later": func(w *world) {
			w.fault(everything)
			_, err := w.c.Open(w.within(time.Second), "/ls/local/f", create)
			isUnknown(w, err)
			w.fault(nil)
			time.Sleep(10 * time.Second)
		},
		"an Open that creates nothing and is answered later": func(w *world) {
			w.fault(everything)
			_, err := w.c.Open(w.within(time.Second), "/ls/local/f", client.OpenOptions{})
			isUnknown(w, err)
			w.fault(nil)
			time.Sleep(10 * time.Second)
		},
		"two Opens that are answered later": func(w *world) {
			w.fault(onlyAnswers)
			both := make(chan error)
			for _, name := range []string{"f", "g"} {
				go func() {
					_, err := w.c.Open(w.within(time.Second), "/ls/local/"+name, create)
					both <- err
				}()
			}
			isUnknown(w, <-both)
			isUnknown(w, <-both)
			w.fault(nil)
			time.Sleep(10 * time.Second)
		},
		"an Open for whose handle there was no room": func(w *world) {
			w.cell.set(func() {
				w.cell.refuse = func(_ uint32, q api.Request) (api.Reply, bool) {
					_, opens := q.Op.(api.Open)
					return q.Answer(1, api.Result{Code: api.NoHandle}), opens
				}
			})
			_, err := w.c.Open(w.within(time.Minute), "/ls/local/f", create)
			require.ErrorIs(w.t, err, client.ErrOutcomeUnknown)
			require.ErrorIs(w.t, err, client.ErrCrowded)
			w.cell.set(func() { w.cell.refuse = nil })
		},
		"an Acquire by a handle that is closed at once": func(w *world) {
			h, err := w.c.Open(w.within(time.Minute), "/ls/local/f", create)
			require.NoError(w.t, err)
			w.cell.set(func() { w.cell.refuse = busyFor[api.Acquire] })
			_, err = h.Acquire(w.within(time.Second), client.Exclusive)
			require.ErrorIs(w.t, err, client.ErrWithdrawn)
			w.cell.set(func() { w.cell.refuse = nil })
			require.NoError(w.t, h.Close(w.within(time.Minute)))
		},
		"calls by a handle that is closed at once": func(w *world) {
			h, err := w.c.Open(w.within(time.Minute), "/ls/local/f", create)
			require.NoError(w.t, err)
			lock, err := h.Acquire(w.within(time.Minute), client.Exclusive)
			require.NoError(w.t, err)
			w.fault(everything)
			isUnknown(w, h.SetSequencer(w.within(time.Second), lock.Sequencer()))
			isUnknown(w, lock.Release(w.within(time.Second)))
			h.Poison()
			w.fault(nil)
			require.NoError(w.t, h.Close(w.within(time.Minute)))
		},
		"a read": func(w *world) {
			w.fault(everything)
			_, err := w.c.Get(w.within(time.Second), "k")
			isUnknown(w, err)
			w.fault(nil)
		},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, nil, func(w *world) {
				ctx := w.within(time.Hour)
				require.NoError(t, w.c.Ready(ctx))
				was := w.c.Status().Session
				use(w)
				w.expire()
				_, err := w.c.List(ctx, "")
				require.NoError(t, err)
				require.NotEqual(t, was, w.c.Status().Session)
				_, err = w.c.Open(ctx, "/ls/local/f", create)
				require.NoError(t, err)
			})
		})
	}
}

// When the cell has answered the cancellation, the next answer settles the calls after it.
func TestAnAcquireThatIsCancelledHoldsNothingUp(t *testing.T) {
	bubble(t, nil, func(w *world) {
		ctx := w.within(time.Hour)
		w.behindAnAcquire()
		was := w.c.Status().Session
		time.Sleep(time.Minute)
		_, err := w.c.Get(ctx, "k")
		require.NoError(t, err)
		w.expire()
		_, err = w.c.Get(ctx, "k")
		require.NoError(t, err)
		require.NotEqual(t, was, w.c.Status().Session)
	})
}

func TestAClosedClientOpensNoOtherSession(t *testing.T) {
	bubble(t, nil, func(w *world) {
		ctx := w.within(time.Hour)
		require.NoError(t, w.c.Ready(ctx))
		w.expire()
		require.NoError(t, w.c.Close(ctx))
		sent := w.messages()
		_, err := w.c.Get(ctx, "k")
		require.ErrorIs(t, err, client.ErrClosed)
		require.Equal(t, sent, w.messages())
	})
}
