package client_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/client/session"
	"github.com/chubbycell/chubby/replica/api"
)

func TestTheCallsOfTheDatabase(t *testing.T) {
	bubble(t, nil, func(w *world) {
		ctx, c := w.within(time.Minute), w.c
		require.NoError(t, c.Ready(ctx))
		require.NoError(t, c.Ready(ctx), "ready stays ready")

		_, err := c.Get(ctx, "g/a")
		require.ErrorIs(t, err, client.ErrNotFound)
		require.EqualError(t, err, `client: get "g/a": not found`)
		require.ErrorIs(t, c.Delete(ctx, "g/a"), client.ErrNotFound)
		require.NoError(t, c.Put(ctx, "g/a", "1"))
		require.NoError(t, c.CompareAndSet(ctx, "g/b", client.Absent(), "2"))
		require.NoError(t, c.CompareAndSet(ctx, "g/a", client.Value("1"), "3"))

		err = c.CompareAndSet(ctx, "g/a", client.Value("1"), "4")
		require.ErrorIs(t, err, client.ErrConflict)
		require.EqualError(t, err, `client: compare-and-set "g/a": conflict: the row holds another value (1 bytes)`)
		var met *client.ConflictError
		require.ErrorAs(t, err, &met)
		require.Equal(t, client.ConflictError{Found: true, Value: "3"}, *met)
		err = c.CompareAndSet(ctx, "g/z", client.Value("1"), "4")
		require.EqualError(t, err, `client: compare-and-set "g/z": conflict: the row does not exist`)
		require.ErrorIs(t, c.CompareAndSet(ctx, "g/a", client.Absent(), "4"), client.ErrConflict)

		v, err := c.Get(ctx, "g/a")
		require.NoError(t, err)
		require.Equal(t, "3", v)
		pairs, err := c.List(ctx, "g/")
		require.NoError(t, err)
		require.Equal(t, []client.Pair{{Key: "g/a", Value: "3"}, {Key: "g/b", Value: "2"}}, pairs)
		require.NoError(t, c.Delete(ctx, "g/a"))
	})
}

// The constructor neither waits nor sends, whether or not there is a cell.
func TestNewDoesNothing(t *testing.T) {
	bubble(t, nil, func(w *world) {
		time.Sleep(time.Hour)
		synctest.Wait()
		require.Zero(t, w.messages())
		require.Equal(t, session.Idle, w.c.Status().State)
	})
}

func TestAWrongConfigIsReportedByEveryCall(t *testing.T) {
	rt := client.NewRuntime(func(client.Replica, []byte) { t.Error("sent something") })
	c := client.New(rt, client.Config{})
	ctx := t.Context()
	require.ErrorIs(t, c.Ready(ctx), client.ErrInvalid)
	require.EqualError(t, c.Put(ctx, "k", "v"), "client: put \"k\": invalid: session: no replicas\nno Draw")
	require.NoError(t, c.Close(ctx))
	require.Equal(t, session.Over, c.Status().State)
	rt.Close()
}

func TestCallsSurviveALossyNetwork(t *testing.T) {
	bubble(t, nil, func(w *world) {
		n := uint32(0)
		w.fault(func(uint32, bool) bool { n++; return n*2654435761>>30 == 0 }) // a quarter, in no pattern
		ctx := w.within(time.Hour)
		var wg sync.WaitGroup
		for i := range 20 {
			wg.Go(func() {
				require.NoError(t, w.c.CompareAndSet(ctx, fmt.Sprintf("k%d", i), client.Absent(), "v"), "executed twice, it would conflict")
			})
		}
		wg.Wait()
		pairs, err := w.c.List(ctx, "k")
		require.NoError(t, err)
		require.Len(t, pairs, 20)
		w.cell.set(func() { require.Equal(t, 21, w.cell.executed) })
	})
}

// A request that is lost is sent again soon, however far away the time of the next
// KeepAlive is, for which a timer is set already.
func TestALostRequestDoesNotWaitForAKeepAlive(t *testing.T) {
	bubble(t, nil, func(w *world) {
		ctx := w.within(time.Hour)
		require.NoError(t, w.c.Put(ctx, "k", "1"))
		for range 9 {
			time.Sleep(time.Second)
			lost := false
			w.fault(func(_ uint32, answer bool) bool { was := lost; lost = true; return !was && !answer })
			began := time.Now()
			require.NoError(t, w.c.Put(ctx, "k", "2"))
			require.Less(t, time.Since(began), time.Second)
		}
	})
}

func TestTheMasterMayMove(t *testing.T) {
	bubble(t, nil, func(w *world) {
		ctx := w.within(time.Minute)
		for i := range 9 {
			w.cell.set(func() { w.cell.master = uint32(i%3) + 1 })
			require.NoError(t, w.c.Put(ctx, "k", fmt.Sprint(i)))
			require.Equal(t, uint32(i%3)+1, w.c.Status().Target)
		}
	})
}

// What a deadline means depends on what was sent before it.
func TestADeadlineAfterSendingLeavesTheOutcomeUnknown(t *testing.T) {
	bubble(t, nil, func(w *world) {
		require.NoError(t, w.c.Ready(w.within(time.Minute)))
		w.fault(onlyAnswers)
		err := w.c.Put(w.within(5*time.Second), "k", "v")
		require.ErrorIs(t, err, client.ErrOutcomeUnknown)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.EqualError(t, err, `client: put "k": outcome unknown: context deadline exceeded`)
		w.cell.set(func() { require.Equal(t, "v", w.cell.rows["k"], "it was executed, in fact") })
		w.fault(nil)
		v, err := w.c.Get(w.within(time.Minute), "k")
		require.NoError(t, err)
		require.Equal(t, "v", v)
	})
}

func TestADeadlineBeforeSendingMeansNotExecuted(t *testing.T) {
	bubble(t, nil, func(w *world) {
		w.fault(everything)
		err := w.c.Put(w.within(5*time.Second), "k", "v") // waits for the session
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.NotErrorIs(t, err, client.ErrOutcomeUnknown)

		ctx, cancel := context.WithCancelCause(w.t.Context())
		why := errors.New("no longer needed")
		cancel(why)
		sent := w.messages()
		err = w.c.Put(ctx, "k", "v")
		require.Equal(t, sent, w.messages())
		require.ErrorIs(t, err, context.Canceled)
		require.ErrorIs(t, err, why)
		require.NotErrorIs(t, err, client.ErrOutcomeUnknown)
		require.EqualError(t, err, `client: put "k": context canceled: because of no longer needed`)

		err = w.c.Ready(w.within(time.Second))
		require.EqualError(t, err, "client: ready: context deadline exceeded")
	})
}

func TestAnExpiredSessionEndsTheClient(t *testing.T) {
	bubble(t, nil, func(w *world) {
		ctx := w.within(time.Minute)
		require.NoError(t, w.c.Put(ctx, "k", "1"))
		w.cell.set(func() { w.cell.sessions = map[api.SessionID]map[api.Seq]api.Result{} })
		err := w.c.Put(ctx, "k", "2")
		require.ErrorIs(t, err, client.ErrSessionExpired)
		require.ErrorIs(t, err, client.ErrOutcomeUnknown, "it was sent; an earlier copy might have been executed")
		_, err = w.c.Get(ctx, "k")
		require.EqualError(t, err, `client: get "k": session expired`)
		require.ErrorIs(t, w.c.Ready(ctx), client.ErrSessionExpired)
	})
}

func TestCloseEndsWaitingCallsAndLaterOnes(t *testing.T) {
	bubble(t, nil, func(w *world) {
		require.NoError(t, w.c.Ready(w.within(time.Minute)))
		w.fault(everything)
		failed := make(chan error)
		go func() { failed <- w.c.Put(w.within(time.Minute), "k", "v") }()
		synctest.Wait()
		err := w.c.Close(w.within(time.Second))
		require.EqualError(t, err, "client: close: outcome unknown: context deadline exceeded")
		err = <-failed
		require.ErrorIs(t, err, client.ErrClosed)
		require.ErrorIs(t, err, client.ErrOutcomeUnknown)
		err = w.c.Put(w.within(time.Minute), "k", "v")
		require.EqualError(t, err, `client: put "k": closed`)
		require.EqualError(t, w.c.Ready(w.within(time.Minute)), "client: ready: closed")
	})
}

// Close ends the session at the cell even if its context has ended.
func TestCloseWithACancelledContextStillEndsTheSession(t *testing.T) {
	bubble(t, nil, func(w *world) {
		require.NoError(t, w.c.Ready(w.within(time.Minute)))
		ctx, cancel := context.WithCancel(w.t.Context())
		cancel()
		require.ErrorIs(t, w.c.Close(ctx), client.ErrOutcomeUnknown)
		time.Sleep(time.Second)
		w.cell.set(func() { require.Empty(t, w.cell.sessions) })
	})
}

func TestReadySaysThatClosingHasBegun(t *testing.T) {
	bubble(t, nil, func(w *world) {
		require.NoError(t, w.c.Ready(w.within(time.Minute)))
		w.fault(everything)
		closed := make(chan error)
		go func() { closed <- w.c.Close(w.within(time.Second)) }()
		synctest.Wait()
		require.EqualError(t, w.c.Ready(w.within(time.Minute)), "client: ready: closed")
		require.Error(t, <-closed)
	})
}

func TestRefusals(t *testing.T) {
	bubble(t, func(c *client.Config) { c.Queue = 1 }, func(w *world) {
		ctx := w.within(time.Minute)
		require.ErrorIs(t, w.c.Put(ctx, "", "v"), client.ErrInvalid)
		require.ErrorIs(t, w.c.Put(ctx, "k", strings.Repeat("v", api.MaxValue+1)), client.ErrTooLarge)
		require.Zero(t, w.messages())

		w.fault(everything)
		first := make(chan error)
		go func() { first <- w.c.Put(w.within(time.Second), "k", "v") }()
		synctest.Wait()
		require.EqualError(t, w.c.Put(ctx, "k", "v"), `client: put "k": too many calls waiting: 1 wait and 1 are under way: call from fewer goroutines, or raise Config.Queue`)
		require.ErrorIs(t, <-first, context.DeadlineExceeded)

		w.fault(nil)
		require.NoError(t, w.c.Ready(ctx))
		w.cell.set(func() {
			w.cell.refuse = func(_ uint32, q api.Request) (api.Reply, bool) {
				switch q.Op.(type) {
				case api.List:
					return q.Answer(1, api.Result{Code: api.TooLarge}), true
				case api.Get:
					return q.Answer(1, api.Result{Code: api.Stale}), true
				case api.Put:
					return q.Answer(1, api.Result{Code: api.Cancelled}), true
				}
				return api.Reply{}, false
			}
		})
		_, err := w.c.List(ctx, "")
		require.EqualError(t, err, "client: list: too large: more than 16384 rows or 1048576 bytes: list a longer prefix")
		_, err = w.c.Get(ctx, "k")
		require.EqualError(t, err, `client: get "k": outcome unknown of a read, which changes nothing: refused: stale`)
		require.EqualError(t, w.c.Put(ctx, "k", "v"), `client: put "k": refused: cancelled`, "what has no name here is no success")
	})
}

func TestACellThatRefusesToOpenSessions(t *testing.T) {
	bubble(t, nil, func(w *world) {
		w.cell.set(func() {
			w.cell.refuse = func(_ uint32, q api.Request) (api.Reply, bool) {
				return q.Answer(1, api.Result{Code: api.Invalid}), true
			}
		})
		require.EqualError(t, w.c.Ready(w.within(time.Minute)), "client: ready: invalid")
		require.EqualError(t, w.c.Put(w.within(time.Minute), "k", "v"), `client: put "k": invalid`)
	})
}

func TestMalformedMessagesAreCounted(t *testing.T) {
	bubble(t, nil, func(w *world) {
		require.NoError(t, w.c.Ready(w.within(time.Minute)))
		w.rt.Deliver(client.Replica{ID: 2}, []byte("hello"))
		require.Equal(t, uint64(1), w.c.Status().Malformed)
		require.Equal(t, session.Open, w.c.Status().State)
	})
}

// An answer that comes at the instant of the deadline is the answer.
func TestTheAnswerGoesBeforeTheDeadline(t *testing.T) {
	bubble(t, nil, func(w *world) {
		require.NoError(t, w.c.Ready(w.within(time.Minute)))
		for range 50 { // both ends of the race
			err := w.c.Put(w.within(2*time.Millisecond), "k", "v")
			if err != nil {
				require.ErrorIs(t, err, client.ErrOutcomeUnknown)
			}
		}
		require.NoError(t, w.c.Put(w.within(time.Minute), "k", "v"))
	})
}

// A CompareAndSet whose outcome is unknown may be called again, and a conflict does not tell whether it was
// executed: here it was not, and another client has written.
func TestAConflictDoesNotSettleAnUnknownOutcome(t *testing.T) {
	bubble(t, nil, func(w *world) {
		ctx, other := w.within(time.Minute), w.guest(nil)
		require.NoError(t, w.c.Put(ctx, "k", "0"))
		require.NoError(t, other.Ready(ctx))
		w.cut(w.rt)
		require.ErrorIs(t, w.c.CompareAndSet(w.within(time.Second), "k", client.Value("0"), "mine"), client.ErrOutcomeUnknown)
		require.NoError(t, other.CompareAndSet(ctx, "k", client.Value("0"), "theirs"))
		w.cut(nil)
		var met *client.ConflictError
		require.ErrorAs(t, w.c.CompareAndSet(ctx, "k", client.Value("0"), "mine"), &met)
		require.Equal(t, client.ConflictError{Found: true, Value: "theirs"}, *met)
	})
}
