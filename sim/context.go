package sim

import (
	"context"
	"time"
)

// WithTimeout is context.WithTimeout on the machine's clock. It is a standard cancel context,
// canceled by a simulated timer, in a thin wrapper that reports the deadline and
// context.DeadlineExceeded. Contexts derived from it with WithCancel and WithValue end at the same
// time; their error is context.Canceled and their cause is context.DeadlineExceeded. The standard
// WithTimeout counts real time; every blocking call of this package panics on a context made by it.
func (rt *Runtime) WithTimeout(parent context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(parent)
	at := instant(rt.e.later(d))
	if p, ok := parent.Deadline(); ok && p.Before(at) {
		at = p
	}
	out := &deadline{Context: ctx, at: at}
	switch {
	case d <= 0:
		cancel(context.DeadlineExceeded)
		return out, func() {}
	case rt.e.dead:
		return out, func() { cancel(nil) }
	}
	a := rt.e.alarm(d, func() { cancel(context.DeadlineExceeded) })
	return out, func() {
		a.stop()
		cancel(nil)
	}
}

// WithDeadline is WithTimeout until the instant t of the machine's clock.
func (rt *Runtime) WithDeadline(parent context.Context, t time.Time) (context.Context, context.CancelFunc) {
	return rt.WithTimeout(parent, t.Sub(rt.Now()))
}

// deadline is the context that WithTimeout returns.
type deadline struct {
	context.Context
	at time.Time
}

// deadlineKey finds the innermost simulated deadline of a context.
type deadlineKey struct{}

// Deadline returns the local instant at which the context ends.
func (d *deadline) Deadline() (time.Time, bool) { return d.at, true }

// Err distinguishes a deadline that passed from a context that was canceled.
func (d *deadline) Err() error {
	err := d.Context.Err()
	if err != nil && context.Cause(d.Context) == context.DeadlineExceeded {
		return context.DeadlineExceeded
	}
	return err
}

// Value returns the value of the parent, and the wrapper itself under its own key.
func (d *deadline) Value(key any) any {
	if key == (deadlineKey{}) {
		return d
	}
	return d.Context.Value(key)
}

// cause returns why ctx has ended, or nil while it has not.
func cause(ctx context.Context) error {
	if ctx.Err() == nil {
		return nil
	}
	return context.Cause(ctx)
}

// contexts is the coroutines of a world that wait under a cancelable context.
type contexts struct {
	blocked      []*coroutine
	mayHaveEnded bool // code ran that may have canceled one
}

// block records that c waits under ctx. It panics on a context with a deadline in real time, which
// would end at a different event in each run.
func (x *contexts) block(c *coroutine, ctx context.Context) {
	if ctx.Done() == nil {
		return
	}
	if at, ok := ctx.Deadline(); ok {
		if d, _ := ctx.Value(deadlineKey{}).(*deadline); d == nil || !d.at.Equal(at) {
			panic("sim: a context with a deadline in real time: context.WithTimeout and context.WithDeadline ask the clock of the real machine; " +
				"use WithTimeout or WithDeadline of the Runtime (Client.Runtime, scenario.Program)")
		}
	}
	c.ctx = ctx
	x.blocked = append(x.blocked, c)
	c.queue = len(x.blocked)
}

// unblock removes c from the coroutines that wait under a context.
func (x *contexts) unblock(c *coroutine) {
	if c.queue == 0 {
		return
	}
	last := len(x.blocked) - 1
	moved := x.blocked[last]
	x.blocked[c.queue-1] = moved
	moved.queue = c.queue
	x.blocked[last] = nil
	x.blocked = x.blocked[:last]
	c.queue, c.ctx = 0, nil
}

// poll wakes coroutines whose context has ended. It runs after each event whose code may have ended
// a context, because a context reports its end on a channel, and coroutines cannot wait for
// channels.
func (x *contexts) poll() {
	for i := 0; i < len(x.blocked); {
		c := x.blocked[i]
		if c.ctx.Err() == nil {
			i++
			continue
		}
		x.unblock(c)
		if c.state == coParked {
			c.w.coroutines.wake(c)
		}
	}
}
