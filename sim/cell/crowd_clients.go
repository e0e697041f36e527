package cell

import (
	"time"

	"github.com/chubbycell/chubby/client/session"
	"github.com/chubbycell/chubby/internal/draw"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/core"
	"github.com/chubbycell/chubby/replica/driver"
	"github.com/chubbycell/chubby/sim"
)

// crowd is the clients' side of many sessions: the session machine of package
// client for each, and one machine of the world for all, which carries their
// messages in bundles.
type crowd struct {
	cell    *Cell
	env     *sim.Env
	addr    sim.Addr
	members []member
	begun   int // members that have asked for their session
	settled int // those that have it, and a handle
	counts  CrowdCounts

	wheel wheel
	out   map[uint32]*bundle // by replica
	order []uint32
	flush time.Time // when bundles leave; zero: they are empty
	back  bundle    // what a replica answers in one go
	room  []byte    // for one request
}

// member is one session.
type member struct {
	m     *session.Machine
	draws draw.Stream
	wake  time.Time // when it wants to be told the time; zero: never
	rings time.Time // for when it stands in the wheel, not after wake; zero: it does not
	there bool      // it has its session and its handle: only KeepAlives follow
}

// addCrowd puts the clients' machine into the cell.
func (c *Cell) addCrowd(n int) *crowd {
	x := &crowd{cell: c, addr: sim.FirstClient, members: make([]member, n), out: map[uint32]*bundle{}, order: c.replicaIDs()}
	c.crowd = x
	src := draw.New(c.plan.Seed).Sub("crowd", 0)
	for i := range x.members {
		x.members[i].draws = src.Stream("member", uint64(i))
	}
	for _, id := range x.order {
		x.out[id] = &bundle{}
	}
	m := c.world.Add(sim.MachineConfig{Addr: x.addr, Process: func() sim.Process { return x }})
	c.clients = append(c.clients, m)
	c.load.Sessions = n
	c.sessions.Off = true
	return x
}

// gatherEvery is the time between two sessions that begin; they begin by tens.
const gatherEvery = 500 * time.Microsecond

const gatherTens = 10

// Start begins the gathering.
func (x *crowd) Start(env *sim.Env) {
	x.env = env
	x.wheel.begin(env.Now())
	x.begin(env.Now())
}

// begin begins the next sessions, once there is a master: each opens a handle, so that
// it is not idle.
func (x *crowd) begin(now time.Time) {
	for range gatherTens {
		if x.cell.serving() == nil {
			break
		}
		if x.begun == len(x.members) {
			return
		}
		b := &x.members[x.begun]
		m, err := session.New(session.Config{
			Replicas: x.order, Draw: b.draws.Uint64, Rho: int64(x.cell.plan.Driver.Core.Paxos.Lease.Rho),
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

// serving is the machine of the master, nil if there is none.
func (c *Cell) serving() *sim.Machine {
	for _, m := range c.replicas {
		if r := running(m); r != nil && r.Host.Core() != nil && r.Host.Core().Serving() != nil {
			return m
		}
	}
	return nil
}

// Receive takes a bundle of answers.
func (x *crowd) Receive(now time.Time, from sim.Addr, msg []byte) {
	bundle(msg).each(func(i int, wire []byte) {
		p, err := api.DecodeReply(wire)
		if err != nil {
			x.cell.world.Break("I-W1", "a replica sends a reply that cannot be decoded: %v", err)
			return
		}
		if p.Session != 0 && p.Seq == 0 {
			x.counts.Answers++
		}
		x.members[i].m.Receive(now, uint32(from), p)
		x.act(now, i)
	})
	x.leave(now)
}

// Wake sends the bundles that are due, and tells members the time.
func (x *crowd) Wake(now time.Time) {
	x.wheel.turn(now, func(i int32) {
		b := &x.members[i]
		if !b.rings.IsZero() && b.rings.After(now) {
			return // it was set again, for later
		}
		b.rings = time.Time{}
		if b.wake.After(now) {
			x.rings(int(i), b.wake)
			return
		}
		b.m.Advance(now)
		x.act(now, int(i))
	})
	x.leave(now)
}

// act does what a member wants.
func (x *crowd) act(now time.Time, i int) {
	b := &x.members[i]
	out := b.m.TakeOutput()
	for _, e := range out.Send {
		x.counts.Requests++
		if _, keeps := e.Request.Op.(api.KeepAlive); keeps {
			x.counts.KeepAlives++
		}
		x.room = api.AppendRequest(x.room[:0], e.Request)
		x.out[e.To].add(i, x.room)
		if x.flush.IsZero() {
			x.flush = now.Add(crowdGrain)
		}
	}
	for _, e := range out.Events {
		if e.Kind == session.EventJeopardy {
			x.counts.Jeopardy++
		}
	}
	for _, d := range out.Done {
		if d.Outcome != session.Executed || d.Result.Code != api.OK {
			x.cell.world.Break("L1", "session %d of a crowd could not open the root: %v", i, d.Result.Code)
		}
		b.there = true
		x.settled++
	}
	x.rings(i, out.Wake)
}

// rings sees to it that a member is told the time at wake. An entry of the wheel that
// comes earlier will do.
func (x *crowd) rings(i int, wake time.Time) {
	b := &x.members[i]
	if !wake.IsZero() && (b.rings.IsZero() || wake.Before(b.rings)) {
		b.rings = x.wheel.set(int32(i), wake)
	}
	b.wake = wake
}

// leave sends bundles whose time has come.
func (x *crowd) leave(now time.Time) {
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

// asked hands the requests of a bundle to a replica. Those who watch are told of what
// a session begins with, and not of KeepAlives.
func (x *crowd) asked(r *replica, now time.Time, msg []byte) {
	bundle(msg).each(func(i int, wire []byte) {
		if !x.members[i].there {
			x.cell.asks(r.Id, now, crowdName, wire)
		}
		r.Host.ClientMessage(now, crowdAddr+core.Addr(i), crowdName, wire)
	})
}

// crowdName is who all clients of a crowd are.
const crowdName api.Principal = "crowd"

// answers sends what a replica answers to sessions of the crowd, in one bundle.
func (x *crowd) answers(r *replica, all []driver.ClientMessage) {
	x.back = x.back[:0]
	for _, m := range all {
		x.back.add(int(m.To-crowdAddr), m.Wire)
	}
	if len(x.back) > 0 {
		r.Env.Send(x.addr, x.back)
	}
}
