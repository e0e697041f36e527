package sim

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/client"
)

// program runs main on a client machine for an hour of true time.
func runProgram(t *testing.T, cfg Config, clock ClockConfig, main func(w *World, rt *Runtime)) *World {
	w := New(cfg)
	t.Cleanup(w.Close)
	ended := false
	w.Add(MachineConfig{Addr: FirstClient, Clock: clock, Process: Program(func(rt *Runtime) {
		main(w, rt)
		ended = true
	})}).Start()
	w.RunFor(time.Hour)
	require.True(t, ended || w.Failure() != nil, "the program hangs")
	return w
}

func TestSleepRunsOnTheMachinesOwnClock(t *testing.T) {
	w := runProgram(t, Config{}, ClockConfig{RatePPB: billion}, func(w *World, rt *Runtime) {
		before := rt.Now()
		require.NoError(t, rt.Sleep(context.Background(), time.Second))
		require.Equal(t, time.Second, rt.Now().Sub(before))
		require.Equal(t, 500*time.Millisecond, w.Now())
	})
	require.Nil(t, w.Failure(), failed(w))
}

func TestWaitReturnsTheFirstSignalThatFired(t *testing.T) {
	w := runProgram(t, Config{}, ClockConfig{}, func(w *World, rt *Runtime) {
		ctx := context.Background()
		a, b := rt.NewSignal(), rt.NewSignal()
		rt.Go("b", func() {
			require.NoError(t, rt.Sleep(ctx, time.Second))
			b.Fire()
			b.Fire()
		})
		i, err := rt.Wait(ctx, a, b)
		require.NoError(t, err)
		require.Equal(t, 1, i)
		require.Equal(t, time.Second, w.Now())
		a.Fire()
		i, err = rt.Wait(ctx, a, b)
		require.NoError(t, err)
		require.Equal(t, 0, i)
		require.Empty(t, a.(*signal).waiting)

		c := rt.NewSignal()
		woken := 0
		for range 3 {
			rt.Go("waiter", func() {
				_, err := rt.Wait(ctx, c)
				require.NoError(t, err)
				woken++
			})
		}
		require.NoError(t, rt.Sleep(ctx, time.Second))
		c.Fire()
		require.Zero(t, woken, "firing is no switch")
		require.NoError(t, rt.Sleep(ctx, 1))
		require.Equal(t, 3, woken)
	})
	require.Nil(t, w.Failure(), failed(w))
}

func TestAfterFuncAndStop(t *testing.T) {
	w := runProgram(t, Config{}, ClockConfig{}, func(w *World, rt *Runtime) {
		var rang []time.Duration
		ring := func() { rang = append(rang, w.Now()) }
		rt.AfterFunc(2*time.Second, ring)
		rt.AfterFunc(time.Second, ring)
		stop := rt.AfterFunc(1500*time.Millisecond, ring)
		rt.AfterFunc(time.Second, stop)
		rt.AfterFunc(-time.Second, ring)
		require.Empty(t, rang, "never within AfterFunc itself")
		require.NoError(t, rt.Sleep(context.Background(), time.Minute))
		require.Equal(t, []time.Duration{0, time.Second, 2 * time.Second}, rang)
	})
	require.Nil(t, w.Failure(), failed(w))
}

// An alarm that waits in the queue of a paused machine can still be stopped.
func TestAStoppedAlarmIsSilent(t *testing.T) {
	w := runProgram(t, Config{}, ClockConfig{}, func(w *World, rt *Runtime) {
		var stop func()
		rang := false
		rt.AfterFunc(time.Second, func() { stop() })
		stop = rt.AfterFunc(1100*time.Millisecond, func() { rang = true })
		w.After(900*time.Millisecond, func() { w.Machine(FirstClient).PauseFor(time.Second) })
		require.NoError(t, rt.Sleep(context.Background(), time.Minute))
		require.False(t, rang)
	})
	require.Nil(t, w.Failure(), failed(w))
}

type keyed struct{}

func TestSimulatedDeadlines(t *testing.T) {
	w := runProgram(t, Config{}, ClockConfig{RatePPB: billion}, func(w *World, rt *Runtime) {
		bg := context.Background()
		ctx, cancel := rt.WithTimeout(context.WithValue(bg, keyed{}, "v"), 2*time.Second)
		at, ok := ctx.Deadline()
		require.True(t, ok)
		require.Equal(t, 2*time.Second, at.Sub(epoch()))
		require.Equal(t, "v", ctx.Value(keyed{}))
		require.NoError(t, ctx.Err())

		child, stop := context.WithCancel(context.WithValue(ctx, keyed{}, "w"))
		inner, stopInner := rt.WithTimeout(child, time.Hour)
		at, _ = inner.Deadline()
		require.Equal(t, 2*time.Second, at.Sub(epoch()), "never later than the parent's")

		_, err := rt.Wait(inner, rt.NewSignal())
		require.Equal(t, context.DeadlineExceeded, err)
		require.Equal(t, time.Second, w.Now())
		require.Equal(t, context.DeadlineExceeded, ctx.Err())
		require.Equal(t, context.DeadlineExceeded, inner.Err())
		require.Equal(t, context.DeadlineExceeded, rt.Sleep(child, time.Second))
		require.Equal(t, time.Second, w.Now())
		stopInner()
		stop()
		cancel()

		ctx, cancel = rt.WithTimeout(bg, time.Hour)
		cancel()
		require.Equal(t, context.Canceled, ctx.Err())
		require.Equal(t, context.Canceled, rt.Sleep(ctx, time.Second))
	})
	require.Nil(t, w.Failure(), failed(w))
}

// The contract of client.Runtime, which package client tests on goroutines.
func TestADeadlineIsAnInstantOfTheMachinesClock(t *testing.T) {
	w := runProgram(t, Config{}, ClockConfig{RatePPB: billion}, func(w *World, rt *Runtime) {
		var any client.Runtime = rt
		at := any.Now().Add(2 * time.Second)
		ctx, cancel := any.WithDeadline(context.Background(), at)
		defer cancel()
		have, ok := ctx.Deadline()
		require.True(t, ok)
		require.True(t, at.Equal(have))
		require.ErrorIs(t, any.Sleep(ctx, time.Minute), context.DeadlineExceeded)
		require.True(t, at.Equal(any.Now()))
		require.Equal(t, time.Second, w.Now(), "the machine's clock runs twice as fast")

		late, cancelLate := any.WithDeadline(context.Background(), at)
		defer cancelLate()
		require.Equal(t, context.DeadlineExceeded, late.Err(), "at once")
		_, err := any.Wait(late, any.NewSignal())
		require.Equal(t, context.DeadlineExceeded, err)
		require.Equal(t, time.Second, w.Now())
		early, cancelEarly := any.WithTimeout(context.Background(), 0)
		require.Equal(t, context.DeadlineExceeded, early.Err())
		cancelEarly()
		require.Equal(t, context.DeadlineExceeded, early.Err())
	})
	require.Nil(t, w.Failure(), failed(w))
}

// A canceled context ends the blocked call in the same instant, from whichever
// machine and by whichever context it is canceled.
func TestCancelingEndsBlockedCalls(t *testing.T) {
	why := errors.New("enough")
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	derived, stop := context.WithCancel(ctx)
	defer stop()
	w := New(Config{})
	defer w.Close()
	var ended []time.Duration
	for i := range 3 {
		w.Add(MachineConfig{Addr: FirstClient + Addr(i), Process: Program(func(rt *Runtime) {
			switch i {
			case 0:
				require.Equal(t, why, rt.Sleep(derived, time.Hour))
			case 1:
				_, err := rt.Wait(ctx, rt.NewSignal())
				require.Equal(t, why, err)
			case 2:
				require.NoError(t, rt.Sleep(context.Background(), time.Second))
				cancel(why)
				return
			}
			ended = append(ended, w.Now())
		})}).Start()
	}
	w.RunFor(time.Minute)
	require.Nil(t, w.Failure(), failed(w))
	require.Equal(t, []time.Duration{time.Second, time.Second}, ended)
	require.Empty(t, w.contexts.blocked)
}

func TestDeadlinesInRealTimeAreRefused(t *testing.T) {
	w := runProgram(t, Config{}, ClockConfig{}, func(_ *World, rt *Runtime) {
		ctx, cancel := context.WithTimeout(context.Background(), time.Hour)
		defer cancel()
		_ = rt.Sleep(ctx, time.Second)
	})
	require.Contains(t, w.Failure().Text, "use WithTimeout or WithDeadline of the Runtime (Client.Runtime, scenario.Program)")
}

func TestACrashedClientIsUnwoundAndStartsAnew(t *testing.T) {
	w := New(Config{})
	defer w.Close()
	var log []string
	m := w.Add(MachineConfig{Addr: FirstClient, Process: Program(func(rt *Runtime) {
		log = append(log, "begin")
		defer func() {
			log = append(log, "unwound")
			require.NotNil(t, recover(), "the sentinel, which is not ours to keep")
			rt.Send(Replica{ID: 1}, []byte("x"))
			rt.AfterFunc(0, func() { log = append(log, "never") })
			ctx, cancel := rt.WithTimeout(context.Background(), time.Second)
			defer cancel()
			_ = rt.Sleep(ctx, time.Second) // unwinds again
			log = append(log, "never")
		}()
		_ = rt.Sleep(context.Background(), time.Hour)
	})})
	m.Start()
	w.RunFor(time.Second)
	m.Crash()
	require.Equal(t, []string{"begin", "unwound"}, log)
	m.Start()
	w.RunFor(time.Second)
	require.Equal(t, []string{"begin", "unwound", "begin"}, log)
	require.Nil(t, w.Failure(), failed(w))
}

func TestAPausedClientGoesOnWithItsClockAhead(t *testing.T) {
	w := New(Config{})
	defer w.Close()
	var woke time.Duration
	m := w.Add(MachineConfig{Addr: FirstClient, Process: Program(func(rt *Runtime) {
		begin := rt.Now()
		_ = rt.Sleep(context.Background(), time.Second)
		woke = rt.Now().Sub(begin)
	})})
	m.Start()
	w.RunFor(500 * time.Millisecond)
	m.PauseFor(9500 * time.Millisecond)
	w.RunFor(time.Minute)
	require.Equal(t, 10*time.Second, woke)
}

func TestMessagesReachTheHandlerOfAProgram(t *testing.T) {
	w, ls := listeners(t, Config{}, 1)
	var got []string
	w.Add(MachineConfig{Addr: FirstClient, Process: Program(func(rt *Runtime) {
		require.Equal(t, FirstClient, rt.Env().Self())
		rt.Receive(func(from Replica, msg []byte) {
			require.Equal(t, Replica{ID: 1}, from)
			got = append(got, string(msg))
		})
		rt.Send(Replica{ID: 1}, []byte("hello"))
	})})
	ls[0].env.Send(FirstClient, []byte("too early: the machine is down"))
	w.RunFor(time.Second)
	w.Machine(FirstClient).Start()
	w.RunFor(time.Second)
	ls[0].env.Send(FirstClient, []byte("hi"))
	w.RunFor(time.Second)
	require.Equal(t, []string{"hello"}, ls[0].got)
	require.Equal(t, []string{"hi"}, got)
}

// A bare channel receive hangs the world; the watchdog says where.
func TestTheWatchdogNamesWhatBlocks(t *testing.T) {
	release := make(chan struct{})
	var text string
	cfg := Config{Seed: 7, Watchdog: 20 * time.Millisecond, Stuck: func(s string) {
		text = s
		close(release) // a second call would panic
	}}
	w := runProgram(t, cfg, ClockConfig{}, func(_ *World, rt *Runtime) {
		rt.Go("parked", func() { _ = rt.Sleep(context.Background(), time.Minute) })
		blockForEver(release)
	})
	require.Nil(t, w.Failure(), failed(w))
	require.Contains(t, text, "seed 7: nothing went on for 20ms: simulated code loops, or blocks outside the simulator")
	require.Contains(t, text, "blockForEver")
	require.NotContains(t, text, "sim.(*Runtime).Sleep", "parked coroutines are not to blame")
	require.Equal(t, 1, strings.Count(text, "blockForEver("))
}

// A watchdog reports once that the world makes no progress, not before its time. It reports again
// after progress in between.
func TestTheWatchdogTellsOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var told []time.Duration
		began := time.Now()
		w := watch{}
		w.start(Config{Watchdog: 16 * time.Second, Stuck: func(string) { told = append(told, time.Since(began)) }})
		time.Sleep(10*time.Second + time.Second/2) // between two looks
		w.beat()
		time.Sleep(time.Minute)
		w.beat()
		time.Sleep(20 * time.Second)
		w.stop()
		time.Sleep(time.Minute)
		synctest.Wait() // what the timer's goroutines wrote is seen after this
		require.Equal(t, []time.Duration{27 * time.Second, 87 * time.Second}, told, "as of the look that saw it go on")
	})
}

func blockForEver(c chan struct{}) { <-c }

func TestCoroutinesAreUsedAgain(t *testing.T) {
	w := runProgram(t, Config{}, ClockConfig{}, func(w *World, rt *Runtime) {
		n := 0
		for range 1000 {
			s := rt.NewSignal()
			rt.Go("short", func() { n++; s.Fire() })
			_, err := rt.Wait(context.Background(), s)
			require.NoError(t, err)
		}
		require.Equal(t, 1000, n)
	})
	require.Nil(t, w.Failure(), failed(w))
	require.LessOrEqual(t, len(w.coroutines.all), 3)
}
