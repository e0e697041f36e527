package faults

import (
	"bytes"
	"time"

	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/sim"
)

// lateAnswers delays cacheable answers, and answers to Opens, behind later messages. It holds back one answer for each
// client at a time, and delivers it right behind the next message to the client that may make it
// stale: a drop, or the answer to another call. For some answers, only a call that may have changed
// a node counts. By chance alone, two messages of one link seldom change places in just this way.
type lateAnswers struct {
	draws *sim.Draw
	held  map[sim.Addr]*heldAnswer // by client
}

// heldAnswer is an answer on its way, and how to deliver it.
type heldAnswer struct {
	arrive func()
	change bool // it waits for the answer to a change, not to any call
}

// overtakeAnswers turns lateAnswers on for a while.
func overtakeAnswers(c *Faults, d *sim.Draw) {
	if c.lateAnswers != nil {
		return
	}
	c.lateAnswers = &lateAnswers{draws: d, held: map[sim.Addr]*heldAnswer{}}
	c.until(d.Duration(2*time.Second, 20*time.Second), func() { c.lateAnswers = nil })
}

// onAnswer holds an answer back, or delivers the answer held for the same client behind this one.
// The client resends a call that is not answered; an answer that is held for longer finds its call
// finished.
func (a *lateAnswers) onAnswer(c *Faults, from, to sim.Addr, wire []byte) {
	if a == nil || !to.IsClient() {
		return
	}
	p, err := api.DecodeReply(wire)
	if err != nil {
		return
	}
	h := a.held[to]
	switch {
	case h == nil && (p.Cacheable || isOpening(p)) && a.draws.Chance(1, 2):
		a.held[to] = a.hold(c, from, to, wire)
	case h != nil && !p.Cacheable && (carriesEvents(p) || p.Seq != 0 && (!h.change || mayChange(p))):
		c.Overtaken++
		link := c.plan.Link.Delay
		c.later(a.draws.Duration(0, 2*link[len(link)-1]), h.arrive)
	}
}

// isOpening reports whether p answers an Open. Events on the node may come before it, also if it may not be cached.
func isOpening(p api.Reply) bool {
	_, ok := p.Detail.(api.Opened)
	return ok && p.Code == api.OK
}

// mayChange reports whether p may answer a call that has changed a node. The details of such an
// answer also occur in answers to reads that may not be cached.
func mayChange(p api.Reply) bool {
	switch p.Detail.(type) {
	case api.NodeStat, api.Opened:
		return p.Code == api.OK
	}
	return false
}

// hold loses the answer as it is sent, and returns how to deliver a copy later.
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
