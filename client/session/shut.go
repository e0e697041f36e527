package session

import (
	"slices"

	"github.com/chubbycell/chubby/replica/api"
)

// shut is told that the cell has closed a handle. A call on it that went to a later
// master would have that take the handle up again, as none of before knew of it, and
// nobody would close it: an ephemeral node would stay for as long as the session. So
// what was not sent yet is not sent, what frees a lock by the handle is not needed any
// more, and the rest waits for its answer from the present master only.
func (m *Machine) shut(h api.Token) {
	h = m.holdings.newest(h)
	on := func(c *call) bool { return m.holdings.newest(api.HandleOf(c.op)) == h }
	m.tidy = slices.DeleteFunc(m.tidy, func(c *call) bool { return c.cancels != nil && on(c) })
	for _, c := range slices.Clone(m.flight) {
		_, cancels := c.op.(api.CancelAcquire)
		switch {
		case !on(c):
		case cancels:
			m.land(c)
		case c.withdrawn:
			m.land(c)
			m.endShut(c, Unknown)
		default:
			c.shut = true
		}
	}
	var out []*call
	m.queue = slices.DeleteFunc(m.queue, func(c *call) bool {
		if on(c) {
			out = append(out, c)
		}
		return on(c)
	})
	for _, c := range out {
		m.endShut(c, c.unsent())
	}
}

// outlived ends the calls on handles that are closed which a former master has not
// answered.
func (m *Machine) outlived() {
	for _, c := range slices.Clone(m.flight) {
		if c.shut && c.epoch < m.epoch {
			m.land(c)
			m.endShut(c, Unknown)
		}
	}
}

// endShut ends a call on a handle that is closed.
func (m *Machine) endShut(c *call, o Outcome) {
	m.end(c, Done{Outcome: o, Why: Answered, Result: api.Result{Code: api.HandleClosed}})
}
