package cluster

import (
	"slices"
	"time"

	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/core"
	"github.com/chubbycell/chubby/replica/driver"
	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/model"
)

// loop stands for the goroutine that owns the host. After each input it is busy for the plan's
// Busy. Inputs that come meanwhile wait: messages in the shipped inbox, others in own.
type loop struct {
	box    *driver.Inbox[message]
	own    []func(now time.Time) // ends of jobs, wake-ups, requests of operators
	until  time.Duration         // true time until which it is busy
	isDue  bool                  // a turn is scheduled
	shared uint64                // messages of clients, except the first of each burst
}

type message struct {
	from sim.Addr
	wire []byte
}

// do gives the loop an input that is no message.
func (r *Replica) do(now time.Time, f func(now time.Time)) {
	if r.mustWait() {
		r.loop.own = append(r.loop.own, f)
		return
	}
	f(r.readClock(now))
	r.work()
}

// post is do for callers on a coroutine, or outside of the process.
func (r *Replica) post(f func(now time.Time)) {
	r.Env.Post(func(now time.Time) { r.do(now, f) })
}

// Receive gives a message to the loop.
func (r *Replica) Receive(now time.Time, from sim.Addr, wire []byte) {
	if from.IsClient() && r.Observer.Delays(from, wire) {
		return
	}
	if !r.mustWait() {
		now = r.readClock(now)
		r.Observer.OnInput(now)
		r.handle(now, from, wire)
		r.Act()
		r.work()
		return
	}
	m := message{from, slices.Clone(wire)}
	if !from.IsClient() {
		r.loop.box.AddPeer(m)
		return
	}
	if r.loop.box.AddClient(core.Addr(from), model.PrincipalOn(from), wire, m) {
		return
	}
	if answer, ok := driver.Refusal(wire); ok {
		r.Observer.OnNoRoom(driver.ClientMessage{To: core.Addr(from), Wire: answer})
		r.Env.Send(from, answer)
	}
}

// handle gives a message to the host.
func (r *Replica) handle(now time.Time, from sim.Addr, wire []byte) {
	if from.IsClient() {
		if !r.Observer.OnClientMessage(now, from, wire) {
			r.Host.ClientMessage(now, core.Addr(from), model.PrincipalOn(from), wire)
		}
		return
	}
	r.Observer.OnPeerMessage(now, paxos.NodeID(from), string(wire))
	r.Host.PeerMessage(now, paxos.NodeID(from), string(wire))
}

// mustWait reports whether an input has to wait. If so, it schedules the turn in which the loop
// takes it.
func (r *Replica) mustWait() bool {
	l := &r.loop
	left := l.until - r.Env.World().Now()
	if !l.isDue && left <= 0 {
		return false
	}
	if !l.isDue {
		l.isDue = true
		r.Env.PostAfter(left, r.turn)
	}
	return true
}

// Shared returns how many messages of clients the host took after another one of the same burst,
// before it acted.
func (r *Replica) Shared() uint64 { return r.loop.shared }

// work makes the loop busy for the plan's Busy from now.
func (r *Replica) work() { r.loop.until = r.Env.World().Now() + r.plan.Busy }

// turn gives the waiting inputs to the host, but no more than one burst of messages from clients.
func (r *Replica) turn(now time.Time) {
	l := &r.loop
	own := l.own
	l.own = nil
	for _, f := range own {
		if !r.Env.Dead() {
			f(r.readClock(now))
		}
	}
	for n, ends := 0, false; !ends && !r.Env.Dead(); { // n: messages since the host last acted
		m, ok := l.box.Next()
		if !ok {
			break
		}
		if now = r.readClock(now); n == 0 {
			r.Observer.OnInput(now)
		}
		r.handle(now, m.from, m.wire)
		if n++; m.from.IsClient() && n > 1 {
			l.shared++
		}
		if l.box.Acts() {
			r.Act()
			n, ends = 0, m.from.IsClient()
		}
	}
	l.isDue = false
	r.work()
	if l.box.Len() > 0 {
		r.mustWait()
	}
}
