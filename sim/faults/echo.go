package faults

import (
	"bytes"
	"slices"
	"time"

	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/model"
)

// echoing is a machine whose next life will receive again the messages to its present life.
type echoing struct {
	to   sim.Addr
	said []saying
}

// saying is a message to the machine, and its sender.
type saying struct {
	from sim.Addr
	wire []byte
	of   model.Call // the call that it answers
}

// answers reports whether the messages answer calls of the machine, and records which calls.
func (e *echoing) answers() bool {
	if !e.to.IsClient() {
		return false
	}
	for i := range e.said {
		if p, err := api.DecodeReply(e.said[i].wire); err == nil {
			e.said[i].of = model.Call{Session: p.Session, Seq: p.Seq}
		}
	}
	return len(e.said) > 0
}

// OnRequest is called when a replica has received a request of a client's machine. If there is an answer to the
// request with the same number from an earlier life, it is delivered now, while the client waits
// for such an answer.
func (c *Faults) OnRequest(from, to sim.Addr, q api.Request) {
	c.lostNews.onRequest(c, from, to, q)
	for _, e := range c.recalled {
		if e.to != from {
			continue
		}
		if i := slices.IndexFunc(e.said, func(s saying) bool { return s.of.Seq == q.Seq && s.of.Session != q.Session }); i >= 0 {
			c.Echoed++
			c.world.Net().Link(e.said[i].from, from).Echo(e.said[i].wire)
			e.said = slices.Delete(e.said, i, i+1)
		}
	}
}

// mostSaid bounds the messages that are kept for one machine.
const mostSaid = 32

// echo delivers the messages to one life of a machine again to its next life. The next life may
// take them for new messages, if it is a client that numbers its calls from the beginning again, or
// a replica whose counts start again.
func echo(c *Faults, d *sim.Draw) {
	m := anyReplica(c, d)
	if d.Chance(1, 2) {
		m = c.clients[d.Int(len(c.clients))]
	}
	e := &echoing{to: m.Addr()}
	c.echoes = append(c.echoes, e)
	// Messages to a young life fit the next one best, so usually the strike ends the present life
	// first.
	if d.Chance(2, 3) {
		endLife(c, m, d)
	}
	c.later(Outage(d), func() {
		c.echoes = slices.DeleteFunc(c.echoes, func(x *echoing) bool { return x == e })
		endLife(c, m, d)
		if d.Chance(1, 2) && e.answers() {
			c.recalled = append(c.recalled, e)
			return
		}
		for _, s := range e.said {
			c.later(time.Duration(d.LogUniform(int64(time.Millisecond), int64(2*time.Second))), func() {
				c.Echoed++
				c.world.Net().Link(s.from, m.Addr()).Echo(s.wire)
			})
		}
	})
}

// endLife ends a machine's life, and begins another soon.
func endLife(c *Faults, m *sim.Machine, d *sim.Draw) {
	if !m.Up() {
		return
	}
	c.cluster.Retire(m)
	if d.Chance(1, 2) {
		m.Kill()
	} else {
		m.Crash()
	}
	m.StartAfter(time.Duration(d.LogUniform(int64(time.Millisecond), int64(200*time.Millisecond))))
}

// OnSend is called for each message that a replica sends.
func (c *Faults) OnSend(from, to sim.Addr, wire []byte) {
	for _, e := range c.echoes {
		if e.to == to && len(e.said) < mostSaid {
			e.said = append(e.said, saying{from: from, wire: bytes.Clone(wire)})
		}
	}
	for _, u := range c.unsynced {
		if u.from == from {
			u.keep(to, wire)
		}
	}
	c.maybeLoseNews(from, to, wire)
	c.lateAnswers.onAnswer(c, from, to, wire)
}
