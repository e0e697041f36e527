package client_test

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/client"
)

// machine is a machine that can be suspended. Its clock counts suspensions, and the timers of the system do not.
type machine struct{ suspended atomic.Int64 }

func (m *machine) now() time.Time { return time.Now().Add(time.Duration(m.suspended.Load())) }

// suspend is a suspension of length d, which the program does not notice.
func (m *machine) suspend(d time.Duration) { m.suspended.Add(int64(d)) }

// After a suspension that outlasts its lease, a program is told of jeopardy within a second, and the context of its lock
// ends. Between two suspensions nothing ends too early.
func TestALeaseThatEndsInASuspensionEndsHeldContextsWithinASecond(t *testing.T) {
	bubble(t, nil, func(w *world) {
		var m machine
		w.rt.SetNow(m.now)
		ctx := w.within(2 * time.Hour)
		l, err := lockable(t, ctx, w.c).Acquire(ctx, client.Exclusive)
		require.NoError(t, err)
		events := w.c.Events()
		held := l.HeldContext()
		time.Sleep(time.Minute)
		m.suspend(time.Second)
		time.Sleep(2 * time.Second)
		require.NoError(t, held.Err(), "the lease runs on")

		w.cut(w.rt)
		time.Sleep(time.Second) // what was under way has arrived
		require.NoError(t, held.Err())
		m.suspend(time.Hour)
		require.False(t, l.Held(), "at once")
		time.Sleep(time.Second)
		synctest.Wait()
		require.ErrorIs(t, context.Cause(held), client.ErrJeopardy)
		e, err := events.Next(ctx)
		require.NoError(t, err)
		require.Equal(t, client.EventJeopardy, e.Kind)
	})
}

func TestTimersAndSleepCountSuspensions(t *testing.T) {
	inRuntime(t, func(t *testing.T, rt *client.Goroutines) {
		var m machine
		var rung atomic.Int32
		rt.SetNow(m.now)
		rt.AfterFunc(time.Hour, func() { rung.Add(1) })
		rt.AfterFunc(2*time.Hour, func() { rung.Add(10) })
		stop := rt.AfterFunc(time.Hour, func() { rung.Add(100) })
		rt.Go("sleep", func() {
			assertNil(t, rt.Sleep(context.Background(), time.Hour))
			rung.Add(1000)
		})
		time.Sleep(90 * time.Second)
		stop()
		m.suspend(time.Hour - 100*time.Second)
		time.Sleep(10*time.Second - time.Nanosecond)
		synctest.Wait()
		require.Zero(t, rung.Load(), "ten seconds are left, and a wake comes each second")
		time.Sleep(time.Nanosecond)
		synctest.Wait()
		require.Equal(t, int32(1001), rung.Load())
		m.suspend(24 * time.Hour)
		time.Sleep(time.Second)
		synctest.Wait()
		require.Equal(t, int32(1011), rung.Load())
	})
}
