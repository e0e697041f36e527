package client_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/chubbycell/chubby/client"
)

// inRuntime runs f with a Runtime in a bubble, and fails if goroutines remain.
func inRuntime(t *testing.T, f func(t *testing.T, rt *client.Goroutines)) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	synctest.Test(t, func(t *testing.T) {
		rt := client.NewRuntime(func(client.Replica, []byte) {})
		f(t, rt)
		rt.Close()
	})
}

func TestWaitReturnsTheFirstOfTheListThatHasFired(t *testing.T) {
	inRuntime(t, func(t *testing.T, rt *client.Goroutines) {
		a, b, c := rt.NewSignal(), rt.NewSignal(), rt.NewSignal()
		rt.Go("fire", func() {
			assertNil(t, rt.Sleep(context.Background(), time.Second))
			b.Fire()
			b.Fire()
		})
		begin := rt.Now()
		i, err := rt.Wait(t.Context(), a, b, c)
		require.NoError(t, err)
		require.Equal(t, 1, i)
		require.Equal(t, time.Second, rt.Now().Sub(begin))
		a.Fire()
		i, err = rt.Wait(t.Context(), c, b, a)
		require.NoError(t, err)
		require.Equal(t, 1, i)
	})
}

func assertNil(t *testing.T, err error) {
	if err != nil {
		t.Error(err)
	}
}

func TestTimeoutsEndByTheClockOfTheRuntime(t *testing.T) {
	inRuntime(t, func(t *testing.T, rt *client.Goroutines) {
		begin := rt.Now()
		ctx, cancel := rt.WithTimeout(context.Background(), 2*time.Second)
		defer cancel()
		derived, stop := context.WithCancel(ctx)
		defer stop()
		_, err := rt.Wait(derived, rt.NewSignal())
		require.Equal(t, context.DeadlineExceeded, err)
		require.Equal(t, 2*time.Second, rt.Now().Sub(begin))
		require.Equal(t, context.DeadlineExceeded, ctx.Err())

		until, cancelUntil := rt.WithDeadline(context.Background(), begin.Add(5*time.Second))
		defer cancelUntil()
		require.Equal(t, context.DeadlineExceeded, rt.Sleep(until, time.Minute))
		require.Equal(t, 5*time.Second, rt.Now().Sub(begin))

		late, cancelLate := rt.WithTimeout(context.Background(), 0)
		require.Equal(t, context.DeadlineExceeded, late.Err(), "at once")
		cancelLate()
		require.Equal(t, context.DeadlineExceeded, late.Err())
	})
}

func TestManyMayWaitForOneSignal(t *testing.T) {
	inRuntime(t, func(t *testing.T, rt *client.Goroutines) {
		s, n := rt.NewSignal(), atomic.Int32{}
		for range 10 {
			rt.Go("wait", func() {
				_, err := rt.Wait(context.Background(), s)
				assertNil(t, err)
				n.Add(1)
			})
		}
		synctest.Wait()
		require.Zero(t, n.Load())
		s.Fire()
		synctest.Wait()
		require.Equal(t, int32(10), n.Load())
	})
}

func TestWaitsEndWithTheirContext(t *testing.T) {
	inRuntime(t, func(t *testing.T, rt *client.Goroutines) {
		why := errors.New("enough")
		ctx, cancel := context.WithCancelCause(t.Context())
		never := rt.NewSignal()
		stop := rt.AfterFunc(time.Second, func() { cancel(why) })
		defer stop()
		i, err := rt.Wait(ctx, never)
		require.Equal(t, why, err)
		require.Equal(t, -1, i)
		require.Equal(t, why, rt.Sleep(ctx, time.Hour), "ended before it began")

		ctx2, cancel2 := context.WithTimeout(t.Context(), time.Second)
		defer cancel2()
		require.Equal(t, context.DeadlineExceeded, rt.Sleep(ctx2, time.Hour))

		fired := rt.NewSignal()
		fired.Fire()
		i, err = rt.Wait(ctx, never, fired)
		require.NoError(t, err, "a signal goes before the context")
		require.Equal(t, 1, i)
	})
}

func TestAStoppedTimerDoesNotRing(t *testing.T) {
	inRuntime(t, func(t *testing.T, rt *client.Goroutines) {
		var rung atomic.Int32
		stop := rt.AfterFunc(time.Second, func() { rung.Add(1) })
		rt.AfterFunc(2*time.Second, func() { rung.Add(10) })
		stop()
		require.NoError(t, rt.Sleep(t.Context(), 3*time.Second))
		require.Equal(t, int32(10), rung.Load())
	})
}

func TestAClosedRuntimeNeitherSendsNorDelivers(t *testing.T) {
	sent, got, one := 0, 0, client.Replica{ID: 1}
	rt := client.NewRuntime(func(client.Replica, []byte) { sent++ })
	rt.Deliver(one, nil) // no handler yet
	rt.Receive(func(client.Replica, []byte) { got++ })
	rt.Send(one, nil)
	rt.Deliver(one, nil)
	rt.Close()
	rt.Send(one, nil)
	rt.Deliver(one, nil)
	require.Equal(t, []int{1, 1}, []int{sent, got})
}

func TestSignalsOfAnotherRuntimeAreABug(t *testing.T) {
	rt := client.NewRuntime(func(client.Replica, []byte) {})
	require.PanicsWithValue(t, "client: Wait on a *client_test.flag, which another Runtime made", func() {
		_, _ = rt.Wait(t.Context(), &flag{})
	})
}

func TestEntropyDiffers(t *testing.T) {
	seen := map[uint64]bool{}
	for range 100 {
		seen[client.Entropy()] = true
	}
	require.Len(t, seen, 100)
}
