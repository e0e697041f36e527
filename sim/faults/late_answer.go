package faults

import (
	"bytes"
	"time"

	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/sim"
)

// lateAnswers overtakes answers that their clients may cache: one for each client at a time is held
// back, and comes right behind what the client is told next that may end the truth of it: a drop, or
// the answer to another call, of some answers only to one that may have changed a node. Two messages
// of one link seldom change places just so by chance.
type lateAnswers struct {
	draws *sim.Draw
	held  map[sim.Addr]*heldAnswer // by client
}

// heldAnswer is an answer on its way, and how it goes on.
type heldAnswer struct {
	arrive func()
	change bool // it waits for the answer to a change, not to any call
}

// overtakeAnswers does so for a while.
func overtakeAnswers(c *Faults, d *sim.Draw) {
	if c.lateAnswers != nil {
		return
	}
	c.lateAnswers = &lateAnswers{draws: d, held: map[sim.Addr]*heldAnswer{}}
	c.until(d.Duration(2*time.Second, 20*time.Second), func() { c.lateAnswers = nil })
}

// overtakes holds an answer back, or lets the one that was held back for the same client come behind
// this one. A client sends a call again that is not answered: what is held for longer finds its
// call over.
func (a *lateAnswers) overtakes(c *Faults, from, to sim.Addr, wire []byte) {
	if a == nil || !to.IsClient() {
		return
	}
	p, err := api.DecodeReply(wire)
	if err != nil {
		return
	}
	h := a.held[to]
	switch {
	case h == nil && p.Cacheable && a.draws.Chance(1, 2):
		a.held[to] = a.hold(c, from, to, wire)
	case h != nil && !p.Cacheable && (hasNews(wire) || p.Seq != 0 && (!h.change || mayChange(p))):
		c.Overtaken++
		link := c.plan.Link.Delay
		c.later(a.draws.Duration(0, 2*link[len(link)-1]), h.arrive)
	}
}

// mayChange reports whether p may answer a call that has changed a node: what such a call is told
// is told to reads that may not be cached, too.
func mayChange(p api.Reply) bool {
	switch p.Detail.(type) {
	case api.NodeStat, api.Opened:
		return p.Code == api.OK
	}
	return false
}

// hold loses the answer as it is sent, and returns how a copy comes later.
func (a *lateAnswers) hold(c *Faults, from, to sim.Addr, wire []byte) *heldAnswer {
	l, held := c.world.Net().Link(from, to), bytes.Clone(wire)
	l.Cut()
	c.until(a.draws.Duration(time.Microsecond, 50*time.Microsecond), l.Mend)
	h := &heldAnswer{change: a.draws.Chance(1, 2)}
	h.arrive = c.untilFirst(a.draws.Duration(20*time.Millisecond, 400*time.Millisecond), func() {
		if a.held[to] == h {
			delete(a.held, to)
			l.Echo(held)
		}
	})
	return h
}
