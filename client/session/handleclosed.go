package session

import (
	"slices"

	"github.com/chubbycell/chubby/replica/api"
)

// onHandleClosed is called when the cell has closed a handle. Another call on the handle must not
// reach a later master. It would open the handle again from its token, and since no call would
// close it, an ephemeral node would stay for as long as the session. Calls on the handle that were
// not sent are therefore not sent, cancellations for it are no longer needed, and the other calls
// wait only for an answer of the present master.
func (m *Machine) onHandleClosed(h api.Token) {
	h = m.holdings.current(h)
	on := func(c *call) bool { return m.holdings.current(api.HandleOf(c.op)) == h }
	m.cleanup = slices.DeleteFunc(m.cleanup, func(c *call) bool { return c.cancelTarget != nil && on(c) })
	for _, c := range slices.Clone(m.flight) {
		_, cancels := c.op.(api.CancelAcquire)
		switch {
		case !on(c):
		case cancels:
			m.removeFlight(c)
		case c.withdrawn:
			m.removeFlight(c)
			m.endClosedHandleCall(c, Unknown)
		default:
			c.handleClosed = true
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
		m.endClosedHandleCall(c, c.unsentOutcome())
	}
}

// endOutlivedCalls ends the calls on closed handles that an earlier master has not answered.
func (m *Machine) endOutlivedCalls() {
	for _, c := range slices.Clone(m.flight) {
		if c.handleClosed && c.epoch < m.epoch {
			m.removeFlight(c)
			m.settleOpen(c)
			m.endClosedHandleCall(c, Unknown)
		}
	}
}

// endClosedHandleCall ends a call on a closed handle.
func (m *Machine) endClosedHandleCall(c *call, o Outcome) {
	m.report(c, Done{Outcome: o, Why: Answered, Result: api.Result{Code: api.HandleClosed}})
}
