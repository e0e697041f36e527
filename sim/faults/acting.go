package faults

import (
	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/event"
	"github.com/chubbycell/chubby/sim/plan"
)

// kept returns f as a later part of the present strike: before f runs, listeners learn to which
// strike it belongs.
func (c *Faults) kept(f func()) func() {
	of := c.acting
	return func() {
		c.setActing(of)
		f()
	}
}

// keptOf is kept for a function that receives what it waited for.
func keptOf[T, R any](c *Faults, f func(T) R) func(T) R {
	of := c.acting
	return func(x T) R {
		c.setActing(of)
		return f(x)
	}
}

// keptTo is kept for a function that receives a machine.
func keptTo(c *Faults, f func(*sim.Machine)) func(*sim.Machine) {
	of := c.acting
	return func(m *sim.Machine) {
		c.setActing(of)
		f(m)
	}
}

// setActing records, and publishes, which strike acts from now on.
func (c *Faults) setActing(f plan.Fault) {
	c.acting = f
	if c.events.Wanted() {
		c.publish(event.FaultActs{Kind: f.Kind, N: f.N})
	}
}
