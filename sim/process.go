package sim

import (
	"fmt"
	"math"
	"time"

	"github.com/chubbycell/chubby/wal/vfs"
)

// Process is the program of a machine, for one life. Its methods are called one at a time and must
// not block. Code that blocks (disk calls) runs on coroutines that the process starts with Env.Go.
// A panic with an *invariant.Violation ends the run as a broken property, any other panic as a
// crash.
type Process interface {
	// Start is the first call of a life. The Env belongs to the process for this life.
	Start(env *Env)
	// Receive handles a message. now is the local instant, read after the message was taken from
	// its queue. msg may be used until Receive returns.
	Receive(now time.Time, from Addr, msg []byte)
	// Wake is called when the local clock has reached the instant given to Env.WakeAt.
	Wake(now time.Time)
}

// Stopper is a Process that can end by itself: Stop asks it to end, and it calls Env.Exit when it
// has. Machine.Stop kills other processes instead.
type Stopper interface{ Stop(now time.Time) }

// Env is a process's view of the world, for one life. When that life is over (crash, Fail, Exit),
// every method is inert: code of the life that is still on the stack has no further effect. Only
// code that runs on its machine may use it.
type Env struct {
	m    *Machine
	life int
	proc Process
	dead bool
	wake timer
	cos  []*coroutine

	program bool // its coroutines run user code, which may cancel contexts
}

// Self returns the address of the machine.
func (e *Env) Self() Addr { return e.m.addr }

// Life returns the number of this life on the machine, from 1. It is for traces and checkers: a
// process that keeps anything across lives keeps it on its disk.
func (e *Env) Life() int { return e.life }

// World returns the world, for checkers to which a process reports.
func (e *Env) World() *World { return e.m.w }

// Dead reports whether the life is over.
func (e *Env) Dead() bool { return e.dead }

// Now reads the monotonic clock of the machine.
func (e *Env) Now() time.Time {
	if e.dead {
		return e.m.clock.Mono()
	}
	return e.m.clock.read()
}

// Wall reads the wall clock, which may step, so no promise may rest on it.
func (e *Env) Wall() time.Time {
	t := e.m.clock.Wall()
	if !e.dead {
		e.m.w.hash.fold(markClock<<60 ^ uint64(localOf(t)))
	}
	return t
}

// Send puts a message on the link to another machine. The message may be lost, late, duplicated or
// overtaken. Send copies the bytes before it returns. A message to an address that does not exist
// is lost.
func (e *Env) Send(to Addr, msg []byte) {
	if e.dead {
		return
	}
	if l := e.m.links.to(to); l != nil {
		l.send(msg)
	}
}

// WakeAt requests a call of Wake when the local clock reaches t, replacing an earlier request. The
// zero Time requests none. If t has passed, Wake is called at once.
func (e *Env) WakeAt(t time.Time) {
	switch {
	case e.dead:
	case t.IsZero():
		e.wake.set(never)
	default:
		e.wake.set(min(localOf(t), math.MaxInt64-1))
	}
}

// Go starts f on a coroutine of this life, at an event of its own at this instant. f may block in
// calls of FS, Sleep and the like, and in no other way. It is unwound when the life ends.
func (e *Env) Go(name string, f func()) {
	if !e.dead {
		e.m.w.coroutines.spawn(e, name, f)
	}
}

// Sleep blocks the calling coroutine until d has passed on the machine's clock.
func (e *Env) Sleep(d time.Duration) {
	c := e.m.w.coroutines.self("Sleep")
	c.check()
	if e.dead || c.env != e {
		panic("sim: Sleep on a coroutine of another life")
	}
	c.timer.what = input{kind: inResume, co: c, arg: c.parks}
	c.timer.set(e.later(d))
	c.park()
}

// Post queues f as an input of the process. now is read when its turn comes. A disk job reports its
// end this way, so that a pause may fall before it.
func (e *Env) Post(f func(now time.Time)) {
	if e.dead {
		return
	}
	e.m.intake.post(input{kind: inPost, fn: f})
}

// PostAfter is Post when d of true time has passed. It is for work of the process that takes this
// long whatever the machine's clock does.
func (e *Env) PostAfter(d time.Duration, f func(now time.Time)) {
	if e.dead {
		return
	}
	e.m.w.timeline.schedule(int64(d), &e.m.ties, call(func() {
		if !e.dead {
			e.m.intake.take(input{kind: inPost, fn: f})
		}
	}), 0, nil)
}

// FS returns the machine's disk as this life sees it. Each call parks the calling coroutine, and
// takes effect at an event. Open files and locks end with the life.
func (e *Env) FS() vfs.FS { return &lifeFS{e, e.m.disks.near} }

// FarFS is FS for the machine's far disk, which must exist.
func (e *Env) FarFS() vfs.FS { return &lifeFS{e, e.m.disks.far} }

// Fail ends the life because the machine failed, for example with a disk error. Fail returns, but
// nothing that the life does afterwards has an effect. The machine is down until Start is called.
func (e *Env) Fail(err error) {
	if e.dead {
		return
	}
	e.m.w.Fault(e.m.addr, "machine-failure", uint64(e.life))
	e.m.w.Tracef(e.m.addr, "failed", "%v", err)
	e.m.failures = append(e.m.failures, err)
	e.m.endLife()
	e.m.disks.each((*Disk).release)
	e.m.closeConnections()
}

// Exit ends the life cleanly.
func (e *Env) Exit() {
	if e.dead {
		return
	}
	e.m.w.Fault(e.m.addr, "exit", uint64(e.life))
	e.m.endLife()
	e.m.disks.each((*Disk).release)
	e.m.closeConnections()
}

// Point names a step of the process at which Machine.CrashAt may crash it. If it does, Point does
// not return.
func (e *Env) Point(name string) {
	if !e.dead && e.m.point != "" {
		e.m.reach(name)
	}
}

// Tracef writes a line into the human trace, if there is one.
func (e *Env) Tracef(kind, format string, args ...any) {
	if !e.dead && e.m.w.trace.wants(e.m.addr) {
		e.m.w.trace.line(e.m.addr, kind, fmt.Sprintf(format, args...))
	}
}

// Count adds one to a counter of the run.
func (e *Env) Count(name string) {
	if !e.dead {
		e.m.w.Count(name)
	}
}

// Draw returns the draws of this life at a site.
func (e *Env) Draw(site string) *Draw {
	return e.m.w.Draw(site, uint64(e.m.addr)<<32|uint64(uint32(e.life)))
}
