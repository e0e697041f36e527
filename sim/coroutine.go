package sim

import (
	"context"
	"iter"
	"runtime/debug"
)

// ended is what unwinds a coroutine whose life is over. It is private and
// recovered at the root; code that recovers it on the way gains nothing, since
// the next blocking call panics with it again and all other calls do nothing.
type ended struct{}

type coState uint8

const (
	coIdle    coState = iota // in the pool
	coReady                  // will be resumed by an event or an input
	coRunning                // it runs, or resumed another one that runs
	coParked                 // waits
)

// coroutine is a thread of control of simulated code that may block: a disk job, a
// client's program, a fault. It is resumed by events only. Coroutines are kept in a
// pool: starting one costs no goroutine once some have ended.
type coroutine struct {
	w     *World
	env   *Env // the life that it belongs to; nil: the world's
	name  string
	job   func()
	next  func() (struct{}, bool)
	stop  func()
	yield func(struct{}) bool
	state coState
	dying bool
	parks uint64 // counts the parkings: an event for an earlier one is void

	index int   // in env.cos
	timer timer // of Sleep and the like
	op    diskOp
	ctx   context.Context // under which it waits, nil if it cannot be canceled
	queue int             // in w.blocked, + 1
}

// pool owns all coroutines of a world.
type pool struct {
	w       *World
	all     []*coroutine
	idle    []*coroutine
	running *coroutine
}

// spawn starts job on a coroutine that belongs to env (nil: to the world). It
// runs for the first time by an event of its own, at the present instant.
func (w *World) spawn(env *Env, name string, job func()) *coroutine {
	c := w.pool.take()
	c.env, c.name, c.job, c.state, c.dying = env, name, job, coReady, false
	if env != nil {
		c.timer = timer{m: env.m, at: never}
		c.index = len(env.cos)
		env.cos = append(env.cos, c)
	}
	w.wake(c)
	return c
}

func (p *pool) take() *coroutine {
	if n := len(p.idle); n > 0 {
		c := p.idle[n-1]
		p.idle = p.idle[:n-1]
		return c
	}
	c := &coroutine{w: p.w}
	c.next, c.stop = iter.Pull(c.root)
	p.all = append(p.all, c)
	return c
}

// root runs one job after the other.
func (c *coroutine) root(yield func(struct{}) bool) {
	c.yield = yield
	for {
		c.run()
		c.retire()
		if !yield(struct{}{}) {
			return
		}
	}
}

func (c *coroutine) run() {
	defer func() {
		r := recover()
		if r == nil || r == any(ended{}) {
			return
		}
		c.w.reportPanic(r, debug.Stack())
	}()
	c.check()
	c.job()
}

// retire returns the coroutine to the pool.
func (c *coroutine) retire() {
	if e := c.env; e != nil {
		last := len(e.cos) - 1
		e.cos[c.index] = e.cos[last]
		e.cos[c.index].index = c.index
		e.cos[last] = nil
		e.cos = e.cos[:last]
	}
	c.w.unblock(c)
	c.timer.drop()
	c.env, c.job, c.op, c.dying, c.state = nil, nil, diskOp{}, false, coIdle
	c.w.pool.idle = append(c.w.pool.idle, c)
}

// wake lets a parked coroutine go on, by an event at the present instant.
func (w *World) wake(c *coroutine) {
	c.state = coReady
	ties := &w.ties
	if c.env != nil {
		ties = &c.env.m.ties
	}
	w.schedule(0, ties, (*resumption)(c), c.parks, nil)
}

// resumption is the event that lets a coroutine go on.
type resumption coroutine

func (r *resumption) fire(w *World, parks uint64, _ *packet) {
	c := (*coroutine)(r)
	if c.isParkedAt(parks) {
		w.proceed(c)
	}
}

// isParkedAt reports that c is still in the parking that an event was made for.
func (c *coroutine) isParkedAt(parks uint64) bool {
	return c.parks == parks && (c.state == coParked || c.state == coReady)
}

// proceed lets c go on: at once for the world's own coroutines, through the
// queue of its machine for others, because that one may be paused.
func (w *World) proceed(c *coroutine) {
	if c.env == nil {
		w.resume(c)
		return
	}
	c.env.m.take(input{kind: inResume, co: c, arg: c.parks})
}

// resume switches to c until it parks or ends.
func (w *World) resume(c *coroutine) {
	prev, cur := w.pool.running, w.cur
	w.pool.running = c
	c.state = coRunning
	if c.env != nil {
		w.cur = c.env.m
	}
	c.parks++
	if c.env == nil || c.env.program {
		w.userRan = true
	}
	w.beat()
	c.next()
	w.pool.running, w.cur = prev, cur
}

// park switches back to the world until the coroutine is resumed.
func (c *coroutine) park() {
	c.check()
	c.state = coParked
	if !c.yield(struct{}{}) {
		c.dying = true
	}
	c.check()
}

// check unwinds a coroutine whose life is over.
func (c *coroutine) check() {
	if c.dying {
		panic(ended{})
	}
}

// end unwinds c. A coroutine that runs at this moment goes on to its next
// blocking call; all it does until then has no effect, because its Env is dead.
func (w *World) end(c *coroutine) {
	switch c.state {
	case coRunning:
		c.dying = true
	case coReady, coParked:
		c.dying = true
		w.resume(c)
	}
}

// self is the running coroutine. It panics where there is none: blocking calls
// are for coroutines only.
func (w *World) self(what string) *coroutine {
	c := w.pool.running
	if c == nil {
		panic("sim: " + what + " blocks: call it on a coroutine (Go), not in a method of the process")
	}
	return c
}

func (p *pool) close() {
	for _, c := range p.all {
		if c.state == coReady || c.state == coParked {
			p.w.end(c)
		}
	}
	for _, c := range p.all {
		if c.state != coRunning {
			c.stop()
		}
	}
	p.all, p.idle = nil, nil
}
