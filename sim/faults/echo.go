package faults

import (
	"bytes"
	"slices"
	"time"

	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/model"
)

// echoing is a machine whose next life will hear again what was said to the present
// one.
type echoing struct {
	to   sim.Addr
	said []saying
}

// saying is a message, and who sent it.
type saying struct {
	from sim.Addr
	wire []byte
	of   model.Call // that it answers
}

// answers says that what was said to it answers its calls; it finds out which.
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

// OnRequest is told of a request that has come from a client's machine: an answer to the
// one of the same number of an earlier life comes now, if there is one, and finds the
// client waiting for just that.
func (c *Faults) OnRequest(from sim.Addr, q api.Request) {
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

// mostSaid bounds what is kept for one machine.
const mostSaid = 32

// echo lets what was said to one life of a machine come once more to the next, in
// which it may pass for news: a client that is as young as the last one was, a replica
// that counts from the beginning.
func echo(c *Faults, d *sim.Draw) {
	m := anyReplica(c, d)
	if d.Chance(1, 2) {
		m = c.clients[d.Int(len(c.clients))]
	}
	e := &echoing{to: m.Addr()}
	c.echoes = append(c.echoes, e)
	// What is said to a young life fits the next one best: mostly there are two ends.
	if d.Chance(2, 3) {
		ends(c, m, d)
	}
	c.later(Outage(d), func() {
		c.echoes = slices.DeleteFunc(c.echoes, func(x *echoing) bool { return x == e })
		ends(c, m, d)
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

// ends ends a machine's life, and soon begins another.
func ends(c *Faults, m *sim.Machine, d *sim.Draw) {
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

// OnSend is told of each message that a replica sends.
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
	c.losesNews(from, to, wire)
	c.lateAnswers.overtakes(c, from, to, wire)
}
