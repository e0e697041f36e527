package sim

import (
	"context"
	"iter"
	"runtime/debug"
)

// ended is the panic that unwinds a coroutine whose life is over. It is private and recovered at
// the root. Code that recovers it on the way gains nothing: the next blocking call panics with it
// again, and all other calls do nothing.
type ended struct{}

type coState uint8

const (
	coIdle    coState = iota // in the pool
	coReady                  // will be resumed by an event or an input
	coRunning                // it runs, or resumed another one that runs
	coParked                 // waits
)

// coroutine is a thread of control of simulated code that may block: a disk job, a client's
// program, a fault. Only events resume it. Coroutines that have ended are kept in a pool and used
// again, so starting one seldom costs a goroutine.
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
	parks uint64 // number of times it parked: an event for an earlier parking is void

	capturing bool     // it must record its own stack, and park again: see captureStack
	calls     []string // what it recorded: see Blocked

	index int   // in env.cos
	timer timer // of Sleep and the like
	op    diskOp
	ctx   context.Context // under which it waits, nil if it cannot be canceled
	queue int             // in contexts.blocked, + 1
}

// coroutines owns all coroutines of a world and switches between them.
type coroutines struct {
	w       *World
	all     []*coroutine
	idle    []*coroutine
	running *coroutine
}

// spawn starts job on a coroutine that belongs to env (nil: to the world). It
// runs for the first time by an event of its own, at the present instant.
func (s *coroutines) spawn(env *Env, name string, job func()) *coroutine {
	c := s.take()
	c.env, c.name, c.job, c.state, c.dying = env, name, job, coReady, false
	if env != nil {
		c.timer = timer{m: env.m, at: never}
		c.index = len(env.cos)
		env.cos = append(env.cos, c)
	}
	s.wake(c)
	return c
}

func (s *coroutines) take() *coroutine {
	if n := len(s.idle); n > 0 {
		c := s.idle[n-1]
		s.idle = s.idle[:n-1]
		return c
	}
	c := &coroutine{w: s.w}
	c.next, c.stop = iter.Pull(c.root)
	s.all = append(s.all, c)
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
		c.w.reports.panicked(r, debug.Stack())
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
	c.w.contexts.unblock(c)
	c.timer.drop()
	c.env, c.job, c.op, c.dying, c.state = nil, nil, diskOp{}, false, coIdle
	c.w.coroutines.idle = append(c.w.coroutines.idle, c)
}

// wake schedules an event at the present instant that resumes a parked coroutine.
func (s *coroutines) wake(c *coroutine) {
	c.state = coReady
	ties := &s.w.timeline.ties
	if c.env != nil {
		ties = &c.env.m.ties
	}
	s.w.timeline.schedule(0, ties, (*resumption)(c), c.parks, nil)
}

// resumption is the event that resumes a coroutine.
type resumption coroutine

func (r *resumption) fire(w *World, parks uint64, _ *packet) {
	c := (*coroutine)(r)
	if c.isParkedAt(parks) {
		w.coroutines.proceed(c)
	}
}

// isParkedAt reports whether c has not been resumed since its parking number parks, for which an
// event was scheduled.
func (c *coroutine) isParkedAt(parks uint64) bool {
	return c.parks == parks && (c.state == coParked || c.state == coReady)
}

// proceed resumes c: at once for the world's own coroutines, and through the queue of its machine
// for others, because the machine may be paused.
func (s *coroutines) proceed(c *coroutine) {
	if c.env == nil {
		s.resume(c)
		return
	}
	c.env.m.intake.take(input{kind: inResume, co: c, arg: c.parks})
}

// resume switches to c until it parks or ends.
func (s *coroutines) resume(c *coroutine) {
	prev, cur := s.running, s.w.cur
	s.running = c
	c.state = coRunning
	if c.env != nil {
		s.w.cur = c.env.m
	}
	c.parks++
	if c.env == nil || c.env.program {
		s.w.contexts.mayHaveEnded = true
	}
	s.w.watch.beat()
	c.next()
	s.running, s.w.cur = prev, cur
}

// park switches back to the world until the coroutine is resumed.
func (c *coroutine) park() {
	c.check()
	c.state = coParked
	if !c.yield(struct{}{}) {
		c.dying = true
	}
	for c.capturing {
		c.recordStack()
		if !c.yield(struct{}{}) {
			c.dying = true
		}
	}
	c.check()
}

// check unwinds a coroutine whose life is over.
func (c *coroutine) check() {
	if c.dying {
		panic(ended{})
	}
}

// end unwinds c. A coroutine that is running continues to its next blocking call; nothing that it
// does until then has an effect, because its Env is dead.
func (s *coroutines) end(c *coroutine) {
	switch c.state {
	case coRunning:
		c.dying = true
	case coReady, coParked:
		c.dying = true
		s.resume(c)
	}
}

// self returns the running coroutine. It panics if there is none: blocking calls are for coroutines
// only.
func (s *coroutines) self(what string) *coroutine {
	c := s.running
	if c == nil {
		panic("sim: " + what + " blocks: call it on a coroutine (Go), not in a method of the process, nor on a goroutine of its own: go test -race shows where one is at work")
	}
	return c
}

func (s *coroutines) close() {
	for _, c := range s.all {
		if c.state == coReady || c.state == coParked {
			s.end(c)
		}
	}
	for _, c := range s.all {
		if c.state != coRunning {
			c.stop()
		}
	}
	s.all, s.idle = nil, nil
}
