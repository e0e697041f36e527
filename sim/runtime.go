package sim

import (
	"context"
	"time"

	"github.com/chubbycell/chubby/client"
)

// Signal is client.Signal: an event that happens once.
type Signal = client.Signal

var _ client.Runtime = (*Runtime)(nil)

// Runtime is what ordinary blocking programs run on: it implements the client.Runtime of package
// client. All code of one Runtime runs in one thread of control, coroutine by coroutine, so it
// needs no locks. It reads the clock of its own machine.
type Runtime struct {
	e           *Env
	receive     func(from Replica, msg []byte)
	unreachable func(replica Replica)
	clients     map[Addr]*clientRuntime // the Client that gets what a machine sends (ForClient)
}

// Program makes a machine's process from a blocking program, which is the process's first
// coroutine. When the program returns, timers, handlers and further coroutines of the machine
// continue.
func Program(main func(rt *Runtime)) func() Process {
	return func() Process { return &program{main: main} }
}

// mainName is the name of the first coroutine of a Program.
const mainName = "main"

// program is the Process around a Runtime.
type program struct {
	rt   Runtime
	main func(rt *Runtime)
}

// Start starts the program's first coroutine.
func (p *program) Start(env *Env) {
	env.program = true
	p.rt.e = env
	env.Go(mainName, func() { p.main(&p.rt) })
}

// Receive hands a message to the handler for its sender, if there is one.
func (p *program) Receive(_ time.Time, from Addr, msg []byte) {
	if c := p.rt.clients[from]; c != nil {
		c.onReceive(from, msg)
	} else if p.rt.receive != nil {
		p.rt.receive(Replica{ID: uint32(from)}, msg)
	}
}

// OnUnreachable hands a hint of the transport to the handler for its machine, if there is one.
func (p *program) OnUnreachable(_ time.Time, to Addr) {
	if c := p.rt.clients[to]; c != nil {
		c.onUnreachable(to)
	} else if p.rt.unreachable != nil {
		p.rt.unreachable(Replica{ID: uint32(to)})
	}
}

// Wake does nothing: it is never requested.
func (p *program) Wake(time.Time) {}

// Env returns the environment of the machine on which this program runs.
func (rt *Runtime) Env() *Env { return rt.e }

// Now reads the machine's monotonic clock.
func (rt *Runtime) Now() time.Time { return rt.e.Now() }

// Send puts a message on the link to the machine whose Addr is the id. It copies the bytes. A
// message to a replica of another cell is lost: see ForClient.
func (rt *Runtime) Send(to Replica, msg []byte) {
	if to.Cell == "" {
		rt.e.Send(Addr(to.ID), msg)
	}
}

// Receive registers the handler of inbound messages, except those for a Client of ForClient. The id
// of the sender is the Addr of its machine. msg may be used until the handler returns.
func (rt *Runtime) Receive(f func(from Replica, msg []byte)) { rt.receive = f }

// OnUnreachable registers the handler of hints that the connection to a replica broke or was
// refused (LinkConfig.Hints). f must not block.
func (rt *Runtime) OnUnreachable(f func(replica Replica)) { rt.unreachable = f }

// Go starts f on a coroutine.
func (rt *Runtime) Go(name string, f func()) { rt.e.Go(name, f) }

// AfterFunc calls f when d has passed on the machine's clock, unless stop is called before. f must
// not block.
func (rt *Runtime) AfterFunc(d time.Duration, f func()) (stop func()) {
	if rt.e.dead {
		return func() {}
	}
	return rt.e.alarm(d, f).stop
}

// alarm is a call that AfterFunc will make.
type alarm struct {
	timer timer
	f     func() // nil once it was stopped or called
}

func (e *Env) alarm(d time.Duration, f func()) *alarm {
	a := &alarm{f: f}
	a.timer = timer{m: e.m, at: never, what: input{kind: inTimer, t: a}}
	a.timer.set(e.later(d))
	return a
}

// later returns the local reading d from now.
func (e *Env) later(d time.Duration) int64 {
	local := e.m.clock.line.local(e.m.w.timeline.now)
	return min(addCapped(local, uint64(max(d, 0))), never-1)
}

func (a *alarm) stop() {
	a.f = nil
	a.timer.drop()
}

func (a *alarm) ring(time.Time) {
	if f := a.f; f != nil {
		a.f = nil
		f()
	}
}

// Sleep blocks the calling coroutine until d has passed on the machine's clock. If ctx ends first,
// it returns the cause.
func (rt *Runtime) Sleep(ctx context.Context, d time.Duration) error {
	w := rt.e.m.w
	c := w.coroutines.self("Sleep")
	c.check()
	if err := cause(ctx); err != nil {
		return err
	}
	w.contexts.block(c, ctx)
	rt.e.Sleep(d)
	w.contexts.unblock(c)
	c.timer.set(never)
	return cause(ctx)
}

// NewSignal returns a signal that has not fired.
func (rt *Runtime) NewSignal() Signal { return &signal{w: rt.e.m.w} }

// signal is the Signal of a world.
type signal struct {
	w       *World
	fired   bool
	waiting []*coroutine
}

// Fire resumes all coroutines that wait for the signal.
func (s *signal) Fire() {
	if s.fired {
		return
	}
	s.fired = true
	for _, c := range s.waiting {
		if c.state == coParked {
			s.w.coroutines.wake(c)
		}
	}
	s.waiting = nil
}

func (s *signal) forget(c *coroutine) {
	for i, x := range s.waiting {
		if x == c {
			s.waiting = append(s.waiting[:i], s.waiting[i+1:]...)
			return
		}
	}
}

// Wait blocks the calling coroutine until one of the signals has fired, and returns the index of
// the first one in the list that has. If ctx ends first, it returns the cause. A fired signal takes
// precedence over an ended context.
func (rt *Runtime) Wait(ctx context.Context, signals ...Signal) (int, error) {
	w := rt.e.m.w
	c := w.coroutines.self("Wait")
	for {
		c.check()
		if i := firstFired(signals); i >= 0 {
			return i, nil
		}
		if err := cause(ctx); err != nil {
			return -1, err
		}
		for _, s := range signals {
			own := s.(*signal)
			own.waiting = append(own.waiting, c)
		}
		w.contexts.block(c, ctx)
		c.parkFor(signals)
	}
}

// parkFor parks the coroutine, and removes it from the signals however the parking ends.
func (c *coroutine) parkFor(signals []Signal) {
	defer func() {
		c.w.contexts.unblock(c)
		for _, s := range signals {
			s.(*signal).forget(c)
		}
	}()
	c.park()
}

func firstFired(signals []Signal) int {
	for i, s := range signals {
		if s.(*signal).fired {
			return i
		}
	}
	return -1
}
