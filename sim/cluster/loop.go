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

// loop stands for the goroutine that owns the host. In the plan's Busy it does nothing else than
// what it has begun: what comes meanwhile waits, in the shipped inbox, or in line where it is
// no message.
type loop struct {
	box    *driver.Inbox[message]
	own    []func(now time.Time) // ends of jobs, rings of the timer, what operators ask
	until  time.Duration         // true time until which it is busy
	isDue  bool                  // it will look at what waits
	shared uint64                // messages of clients that were not the first of their burst
}

type message struct {
	from sim.Addr
	wire []byte
}

// does hands the loop an input that is no message.
func (r *Replica) does(now time.Time, f func(now time.Time)) {
	if r.waits() {
		r.loop.own = append(r.loop.own, f)
		return
	}
	f(r.reads(now))
	r.works()
}

// posts is does, from a coroutine or from outside of the process.
func (r *Replica) posts(f func(now time.Time)) {
	r.Env.Post(func(now time.Time) { r.does(now, f) })
}

// Receive hands bytes to the loop.
func (r *Replica) Receive(now time.Time, from sim.Addr, wire []byte) {
	if from.IsClient() && r.Observer.Delays(from, wire) {
		return
	}
	if !r.waits() {
		now = r.reads(now)
		r.Observer.OnInput(now)
		r.handle(now, from, wire)
		r.Act()
		r.works()
		return
	}
	m := message{from, slices.Clone(wire)}
	if !from.IsClient() {
		r.loop.box.AddPeer(m)
		return
	}
	if r.loop.box.AddClient(core.Addr(from), wire, m) {
		return
	}
	if answer, ok := driver.Refusal(wire); ok {
		r.Observer.OnNoRoom(driver.ClientMessage{To: core.Addr(from), Wire: answer})
		r.Env.Send(from, answer)
	}
}

// handle hands a message to the host.
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

// waits reports whether an input has to wait, and sees to it that the loop looks at it.
func (r *Replica) waits() bool {
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

// Shared is how many messages of clients were taken in behind another one, before anything was
// carried out.
func (r *Replica) Shared() uint64 { return r.loop.shared }

// works keeps the loop busy after what it has done.
func (r *Replica) works() { r.loop.until = r.Env.World().Now() + r.plan.Busy }

// turn takes in what waits, but of clients no more than one burst.
func (r *Replica) turn(now time.Time) {
	l := &r.loop
	own := l.own
	l.own = nil
	for _, f := range own {
		if !r.Env.Dead() {
			f(r.reads(now))
		}
	}
	for n, ends := 0, false; !ends && !r.Env.Dead(); { // n: since it acted
		m, ok := l.box.Next()
		if !ok {
			break
		}
		if now = r.reads(now); n == 0 {
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
	r.works()
	if l.box.Len() > 0 {
		r.waits()
	}
}
