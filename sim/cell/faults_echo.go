package cell

import (
	"bytes"
	"slices"
	"time"

	"github.com/chubbycell/chubby/sim"
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
}

// mostSaid bounds what is kept for one machine.
const mostSaid = 32

// echo lets what was said to one life of a machine come once more to the next, in
// which it may pass for news: a client that is as young as the last one was, a replica
// that counts from the beginning.
func echo(c *Cell, d *sim.Draw) {
	m := c.anyReplica(d)
	if d.Chance(1, 2) {
		m = c.clients[d.Int(len(c.clients))]
	}
	e := &echoing{to: m.Addr()}
	c.echoes = append(c.echoes, e)
	// What is said to a young life fits the next one best: mostly there are two ends.
	if d.Chance(2, 3) {
		c.ends(m, d)
	}
	c.later(outage(d), func() {
		c.echoes = slices.DeleteFunc(c.echoes, func(x *echoing) bool { return x == e })
		c.ends(m, d)
		for _, s := range e.said {
			c.later(time.Duration(d.LogUniform(int64(time.Millisecond), int64(2*time.Second))), func() {
				c.world.Net().Link(s.from, m.Addr()).Echo(s.wire)
			})
		}
	})
}

// ends ends a machine's life, and soon begins another.
func (c *Cell) ends(m *sim.Machine, d *sim.Draw) {
	if !m.Up() {
		return
	}
	c.retire(running(m))
	if d.Chance(1, 2) {
		m.Kill()
	} else {
		m.Crash()
	}
	m.StartAfter(time.Duration(d.LogUniform(int64(time.Millisecond), int64(200*time.Millisecond))))
}

// says is told of each message that a replica sends.
func (c *Cell) says(from, to sim.Addr, wire []byte) {
	for _, e := range c.echoes {
		if e.to == to && len(e.said) < mostSaid {
			e.said = append(e.said, saying{from, bytes.Clone(wire)})
		}
	}
}
