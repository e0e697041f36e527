package client_test

import (
	"container/heap"
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/client"
)

// loop is a Runtime without goroutines: Wait runs the events until a signal has fired. A
// Client that held a mutex while it waits, sends or fires would deadlock here.
type loop struct {
	now     time.Time
	events  events
	serial  int
	handler func(from client.Replica, msg []byte)
	cell    *cell
	timers  int // set and neither fired nor stopped
}

type event struct {
	at     time.Time
	serial int
	f      func()
}

type events []event

func (e events) Len() int { return len(e) }
func (e events) Less(i, j int) bool {
	return e[i].at.Before(e[j].at) || e[i].at.Equal(e[j].at) && e[i].serial < e[j].serial
}
func (e events) Swap(i, j int) { e[i], e[j] = e[j], e[i] }
func (e *events) Push(x any)   { *e = append(*e, x.(event)) }
func (e *events) Pop() any {
	last := (*e)[len(*e)-1]
	*e = (*e)[:len(*e)-1]
	return last
}

func (l *loop) after(d time.Duration, f func()) {
	l.serial++
	heap.Push(&l.events, event{at: l.now.Add(d), serial: l.serial, f: f})
}

// turn lets one event happen.
func (l *loop) turn() {
	e := heap.Pop(&l.events).(event)
	l.now = e.at
	e.f()
}

type flag struct{ fired bool }

func (f *flag) Fire() { f.fired = true }

func (l *loop) Now() time.Time                                  { return l.now }
func (l *loop) Receive(f func(from client.Replica, msg []byte)) { l.handler = f }
func (l *loop) OnUnreachable(func(client.Replica))              {}
func (l *loop) NewSignal() client.Signal                        { return &flag{} }
func (l *loop) Go(_ string, f func())                           { l.after(0, f) }
func (l *loop) Sleep(context.Context, time.Duration) error      { panic("not here") }
func (l *loop) Send(to client.Replica, msg []byte) {
	l.after(time.Millisecond, func() { l.cell.handle(to.ID, msg, func(answer []byte) { l.handler(to, answer) }) })
}

func (l *loop) AfterFunc(d time.Duration, f func()) func() {
	l.timers++
	live := true
	end := func() bool {
		was := live
		if live = false; was {
			l.timers--
		}
		return was
	}
	l.after(d, func() {
		if end() {
			f()
		}
	})
	return func() { end() }
}

// timed is a context that ends by the clock of a loop.
type timed struct {
	context.Context
	at time.Time
}

func (t *timed) Deadline() (time.Time, bool) { return t.at, true }
func (t *timed) Err() error {
	if err := t.Context.Err(); err == nil || context.Cause(t.Context) != context.DeadlineExceeded {
		return err
	}
	return context.DeadlineExceeded
}

func (l *loop) WithTimeout(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	return l.WithDeadline(ctx, l.now.Add(d))
}

func (l *loop) WithDeadline(ctx context.Context, at time.Time) (context.Context, context.CancelFunc) {
	ended, cancel := context.WithCancelCause(ctx)
	stop := l.AfterFunc(at.Sub(l.now), func() { cancel(context.DeadlineExceeded) })
	return &timed{ended, at}, func() { stop(); cancel(nil) }
}

func (l *loop) Wait(ctx context.Context, signals ...client.Signal) (int, error) {
	for {
		for i, s := range signals {
			if s.(*flag).fired {
				return i, nil
			}
		}
		if ctx.Err() != nil {
			return -1, context.Cause(ctx)
		}
		l.turn()
	}
}

func newLoop() (*loop, *client.Client) {
	l := &loop{now: time.Unix(0, 0), cell: newCell()}
	l.cell.now, l.cell.after, l.cell.leases.none = l.Now, l.after, true
	n := uint64(0)
	return l, client.New(l, client.Config{Replicas: []uint32{1, 2, 3}, Draw: func() uint64 { n += 0x9e3779b97f4a7c15; return n }})
}

func TestOneThreadOfControlIsEnough(t *testing.T) {
	l, c := newLoop()
	ctx := t.Context()
	require.NoError(t, c.Ready(ctx))
	require.NoError(t, c.Put(ctx, "k", "v"))
	v, err := c.Get(ctx, "k")
	require.NoError(t, err)
	require.Equal(t, "v", v)

	limited, cancel := c.Runtime().WithTimeout(ctx, time.Minute)
	defer cancel()
	l.cell.master = 0 // no master
	began := l.now
	err = c.Put(limited, "k", "w")
	require.ErrorIs(t, err, client.ErrOutcomeUnknown)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.GreaterOrEqual(t, l.now.Sub(began), time.Minute)
	l.cell.master = 3
	require.NoError(t, c.Close(ctx))
	require.Zero(t, l.timers, "nothing is left behind")
}

// Handles, locks and events, and a lease that runs out and comes back.
func TestOneThreadOfControlIsEnoughForLocks(t *testing.T) {
	l := &loop{now: time.Unix(0, 0), cell: newCell()}
	l.cell.now, l.cell.after = l.Now, l.after
	n := uint64(0)
	c := client.New(l, client.Config{Replicas: []uint32{1, 2, 3}, Draw: func() uint64 { n += 0x9e3779b97f4a7c15; return n }})
	ctx := t.Context()
	events := c.Events()
	f, err := c.Open(ctx, "/ls/local/f", client.OpenOptions{Rights: client.Read | client.Write, Create: client.CreateMay})
	require.NoError(t, err)
	lock, err := f.Acquire(ctx, client.Exclusive)
	require.NoError(t, err)
	require.True(t, lock.Held())
	woke := l.now
	l.now = l.now.Add(time.Hour) // the program was stopped, and nothing has happened yet
	require.False(t, lock.Held())
	l.now = woke

	l.cell.master = 0                                              // no master
	l.after(11995*time.Millisecond, func() { l.cell.failover(3) }) // the last instant at which the cell can save it
	for _, kind := range []client.EventKind{client.EventJeopardy, client.EventFailover, client.EventSafe} {
		require.Equal(t, kind, first(t, ctx, events))
		require.Equal(t, kind != client.EventJeopardy, lock.Held())
	}
	l.cell.expire()
	require.True(t, lock.Held())
	l.cell.master = 0
	require.Equal(t, client.EventJeopardy, first(t, ctx, events))
	require.Equal(t, client.EventExpired, first(t, ctx, events))
	require.ErrorIs(t, context.Cause(lock.Context()), client.ErrSessionExpired)
	require.NoError(t, f.Close(ctx))
	require.NoError(t, c.Close(ctx))
	require.Zero(t, l.timers, "nothing is left behind")
}

// A timer is not set again for each call.
func TestTimersAreFewerThanCalls(t *testing.T) {
	l, c := newLoop()
	for range 1000 {
		require.NoError(t, c.Put(t.Context(), "k", "v"))
		require.LessOrEqual(t, l.timers, 1)
	}
	require.Less(t, l.serial, 1000+1000/10, "one message each, and a few timers")
}

// The same program on the same runtime does the same.
func TestTheClientIsDeterministic(t *testing.T) {
	run := func() (time.Time, int) {
		l, c := newLoop()
		for i := range 30 {
			l.cell.master = uint32(i%4) % 3 // sometimes none
			if l.cell.master == 0 {
				l.after(3*time.Second, func() { l.cell.master = 1 })
			}
			require.NoError(t, c.Put(t.Context(), "k", "v"))
		}
		return l.now, l.serial
	}
	at, n := run()
	for range 3 {
		again, m := run()
		require.Equal(t, at, again)
		require.Equal(t, n, m)
	}
	require.Greater(t, n, 60)
}
