package crowd

import (
	"time"

	"github.com/chubbycell/chubby/client/session"
	"github.com/chubbycell/chubby/internal/draw"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/core"
	"github.com/chubbycell/chubby/replica/driver"
	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/plan"
)

// Env is what a crowd needs to run.
type Env struct {
	World    *sim.World
	Plan     *plan.Plan
	Replicas []uint32
	Cell     Cell
}

// Cell is what a crowd must know of its cell.
type Cell interface {
	// HasMaster reports whether a replica serves as the master.
	HasMaster() bool
}

// Clients is the clients' side of many sessions. Each session has a state machine of package
// client/session. One machine of the world carries all of them, and sends their messages in
// bundles.
type Clients struct {
	Addr   sim.Addr // of that machine
	Counts Counts   // what the clients themselves can count

	in      Env
	env     *sim.Env
	members []member
	begun   int // members that have asked for their session
	settled int // members that have their session and a handle

	wheel wheel
	out   map[uint32]*bundle // by replica
	order []uint32
	flush time.Time // when bundles leave; zero: they are empty
	back  bundle    // the answers of a replica in one act
	room  []byte    // for one request
}

// member is one session.
type member struct {
	m     *session.Machine
	draws draw.Stream
	wake  time.Time // when it wants to be woken; zero: never
	rings time.Time // when its entry in the wheel is due, not after wake; zero: it has none
	there bool      // it has its session and its handle: only KeepAlives follow
}

// Join adds the machine of n sessions to the world, as the first client.
func Join(e Env, n int) *Clients {
	x := &Clients{in: e, Addr: sim.FirstClient, members: make([]member, n), out: map[uint32]*bundle{}, order: e.Replicas}
	src := draw.New(e.Plan.Seed).Sub("crowd", 0)
	for i := range x.members {
		x.members[i].draws = src.Stream("member", uint64(i))
	}
	for _, id := range x.order {
		x.out[id] = &bundle{}
	}
	e.World.Add(sim.MachineConfig{Addr: x.Addr, Process: func() sim.Process { return x }})
	return x
}

// Size returns the number of sessions, including those that have not begun.
func (x *Clients) Size() int { return len(x.members) }

// Settled returns how many sessions have begun and have a handle.
func (x *Clients) Settled() int { return x.settled }

// Patience returns the true time by which all sessions should have settled.
func (x *Clients) Patience() time.Duration {
	return time.Minute + 2*gatherEvery*time.Duration(len(x.members))
}

// gatherEvery is the mean time between two sessions that begin. They begin in groups of gatherTens.
const gatherEvery = 500 * time.Microsecond

const gatherTens = 10

// Start begins the gathering.
func (x *Clients) Start(env *sim.Env) {
	x.env = env
	x.wheel.begin(env.Now())
	x.begin(env.Now())
}

// begin begins the next sessions, once there is a master: each opens a handle, so that
// it is not idle.
func (x *Clients) begin(now time.Time) {
	for range gatherTens {
		if !x.in.Cell.HasMaster() {
			break
		}
		if x.begun == len(x.members) {
			return
		}
		b := &x.members[x.begun]
		m, err := session.New(session.Config{
			Replicas: x.order, Draw: b.draws.Uint64, Rho: int64(x.in.Plan.Driver.Core.Paxos.Lease.Rho),
		})
		if err != nil {
			panic(err)
		}
		b.m = m
		m.Start(now, api.Open{Rights: api.RightRead})
		x.act(now, x.begun)
		x.begun++
	}
	x.leave(now)
	x.env.World().After(gatherTens*gatherEvery, func() { x.env.Post(x.begin) })
}

// Receive gives each answer of a bundle to its member.
func (x *Clients) Receive(now time.Time, from sim.Addr, msg []byte) {
	bundle(msg).each(func(i int, wire []byte) {
		p, err := api.DecodeReply(wire)
		if err != nil {
			x.in.World.Break("I-W1", "a replica sends a reply that cannot be decoded: %v", err)
			return
		}
		if p.Session != 0 && p.Seq == 0 {
			x.Counts.Answers++
		}
		x.members[i].m.Receive(now, uint32(from), p)
		x.act(now, i)
	})
	x.leave(now)
}

// Wake wakes the members that are due, and sends the bundles that are due.
func (x *Clients) Wake(now time.Time) {
	x.wheel.turn(now, func(i int32) {
		b := &x.members[i]
		if !b.rings.IsZero() && b.rings.After(now) {
			return // it was set again, for later
		}
		b.rings = time.Time{}
		if b.wake.After(now) {
			x.wakeAt(int(i), b.wake)
			return
		}
		b.m.Advance(now)
		x.act(now, int(i))
	})
	x.leave(now)
}

// act carries out the output of a member.
func (x *Clients) act(now time.Time, i int) {
	b := &x.members[i]
	out := b.m.TakeOutput()
	for _, e := range out.Send {
		x.Counts.Requests++
		if _, keeps := e.Request.Op.(api.KeepAlive); keeps {
			x.Counts.KeepAlives++
		}
		x.room = api.AppendRequest(x.room[:0], e.Request)
		x.out[e.To].add(i, x.room)
		if x.flush.IsZero() {
			x.flush = now.Add(grain)
		}
	}
	for _, e := range out.Events {
		if e.Kind == session.EventJeopardy {
			x.Counts.Jeopardy++
		}
	}
	for _, d := range out.Done {
		if d.Outcome != session.Executed || d.Result.Code != api.OK {
			x.in.World.Break("L1", "session %d of a crowd could not open the root: %v", i, d.Result.Code)
		}
		b.there = true
		x.settled++
	}
	x.wakeAt(i, out.Wake)
}

// wakeAt makes sure that a member is woken at wake. An entry of the wheel that is due earlier is
// enough.
func (x *Clients) wakeAt(i int, wake time.Time) {
	b := &x.members[i]
	if !wake.IsZero() && (b.rings.IsZero() || wake.Before(b.rings)) {
		b.rings = x.wheel.set(int32(i), wake)
	}
	b.wake = wake
}

// leave sends the bundles if they are due.
func (x *Clients) leave(now time.Time) {
	if !x.flush.IsZero() && !x.flush.After(now) {
		for _, id := range x.order {
			if f := x.out[id]; len(*f) > 0 {
				x.env.Send(sim.Addr(id), *f)
				*f = (*f)[:0]
			}
		}
		x.flush = time.Time{}
	}
	wake := x.wheel.next()
	if !x.flush.IsZero() && x.flush.Before(wake) {
		wake = x.flush
	}
	x.env.WakeAt(wake)
}

// Each calls do for every request of a bundle, with the address of its session. gathered reports
// whether the session has settled and sends only KeepAlives.
func (x *Clients) Each(msg []byte, do func(from core.Addr, wire []byte, gathered bool)) {
	bundle(msg).each(func(i int, wire []byte) { do(firstSession+core.Addr(i), wire, x.members[i].there) })
}

// Name is the principal of all clients of a crowd.
const Name api.Principal = "crowd"

// Answers puts the answers of a replica to sessions of the crowd into one bundle, which is empty if
// there are none. The bundle is valid until the next call.
func (x *Clients) Answers(all []driver.ClientMessage) []byte {
	x.back = x.back[:0]
	for _, m := range all {
		x.back.add(int(m.To-firstSession), m.Wire)
	}
	return x.back
}
