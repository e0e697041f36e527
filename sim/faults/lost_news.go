package faults

import (
	"time"

	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/sim"
)

// lostNews makes answers to KeepAlives that carry events useless to their clients, and no others: such
// answers are few, and links seldom touch them. Each is lost with an even chance, so a client may receive
// a part of what its master has sent, and acknowledge that part.
//
// An answer that is not lost may have a repeated KeepAlive instead: the network delivers the answered
// request a second time, and then loses what the client sends until the master has answered the copy with
// its next event. The client waits for no such answer and does not take it. So the master has sent one more
// event than the client acknowledges next.
type lostNews struct {
	draws    *sim.Draw
	asked    map[sim.Addr]asked        // by client: its last KeepAlive that has come
	repeated map[sim.Addr]*repeatedAsk // by client: its KeepAlive that comes again
}

// asked is a KeepAlive as a replica received it.
type asked struct {
	by   sim.Addr
	id   uint64
	wire []byte
}

// repeatedAsk is a KeepAlive that is delivered again; mend, once the copy has come, lets the client's
// messages pass again.
type repeatedAsk struct {
	asked
	mend func()
}

// loseNews turns lostNews on for a while.
func loseNews(c *Faults, d *sim.Draw) {
	if c.lostNews != nil {
		return
	}
	c.lostNews = &lostNews{draws: d, asked: map[sim.Addr]asked{}, repeated: map[sim.Addr]*repeatedAsk{}}
	c.until(d.Duration(2*time.Second, 10*time.Second), func() { c.lostNews = nil })
}

// maybeLoseNews cuts the link while a replica sends an answer that should be lost, or has its request
// repeated.
func (c *Faults) maybeLoseNews(from, to sim.Addr, wire []byte) {
	n := c.lostNews
	if n == nil || !to.IsClient() {
		return
	}
	p, err := api.DecodeReply(wire)
	if err != nil || !carriesEvents(p) {
		return
	}
	if r := n.repeated[to]; r != nil && r.by == from && r.mend != nil {
		r.mend()
		return
	}
	l := c.world.Net().Link(from, to)
	if n.draws.Chance(1, 2) {
		c.NewsLost++
		l.Cut()
		c.until(n.draws.Duration(time.Microsecond, time.Millisecond), l.Mend)
		return
	}
	if a := n.asked[to]; a.by == from && a.id == p.ID && n.repeated[to] == nil {
		n.repeated[to] = &repeatedAsk{asked: a}
		c.world.Net().Link(to, from).Echo(a.wire)
	}
}

// onRequest is called when a replica has received a request of a client. It remembers KeepAlives. When a
// repeated one has come, it cuts the way from the client to the replica.
func (n *lostNews) onRequest(c *Faults, from, to sim.Addr, q api.Request) {
	if n == nil {
		return
	}
	if _, ok := q.Op.(api.KeepAlive); !ok {
		return
	}
	r := n.repeated[from]
	if r == nil {
		n.asked[from] = asked{by: to, id: q.ID, wire: api.AppendRequest(nil, q)}
		return
	}
	if r.mend != nil || r.by != to {
		return
	}
	if r.id != q.ID {
		delete(n.repeated, from) // the next KeepAlive has overtaken the copy
		return
	}
	c.NewsRepeated++
	l := c.world.Net().Link(from, to)
	l.Cut()
	r.mend = c.untilFirst(n.draws.Duration(10*time.Millisecond, 2*time.Second), func() {
		l.Mend()
		delete(n.repeated, from)
	})
}

// carriesEvents reports whether p answers a KeepAlive and carries events.
func carriesEvents(p api.Reply) bool {
	l, ok := p.Detail.(api.Leased)
	return ok && len(l.Events) > 0
}
