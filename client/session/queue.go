package session

import (
	"slices"
	"time"

	"github.com/chubbycell/chubby/replica/api"
)

// pump sends what waits in the queue, as far as the window goes. What tidies up
// after calls that were given up goes first, and has room of its own.
func (m *Machine) pump(now time.Time) {
	for m.state == Open && m.flows() {
		if len(m.tidy) > 0 {
			c := m.tidy[0]
			m.tidy = slices.Delete(m.tidy, 0, 1)
			m.launch(now, c)
			continue
		}
		i := m.launchable()
		if i < 0 {
			return
		}
		if m.next > m.seen()+api.Seq(m.cfg.Window) {
			m.unpin()
			if len(m.tidy) == 0 {
				return
			}
			continue
		}
		c := m.queue[i]
		m.queue = slices.Delete(m.queue, i, i+1)
		m.launch(now, c)
	}
}

// launchable is the place in the queue of the oldest call that may be sent, or -1.
// Calls that wait for locks may take half of the window, lest a Release wait
// behind those that wait for it.
func (m *Machine) launchable() int {
	waiting := -1 // not counted yet
	for i, c := range m.queue {
		o, acquires := c.op.(api.Acquire)
		if !acquires {
			return i
		}
		if o.Wait && waiting < 0 {
			waiting = m.waiting()
		}
		if (!o.Wait || waiting < max(1, m.cfg.Window/2)) && !m.unsettled(o.Handle) {
			return i
		}
	}
	return -1
}

// waiting counts the calls under way that wait for locks.
func (m *Machine) waiting() int {
	n := 0
	for _, c := range m.flight {
		if o, ok := c.op.(api.Acquire); ok && o.Wait {
			n++
		}
	}
	return n
}

// unsettled says that a hold of the handle is being freed. Who asked for the lock
// again meanwhile would be told that the handle holds it, by the very acquisition
// that is freed then.
func (m *Machine) unsettled(h api.Token) bool {
	h = m.holdings.newest(h)
	return slices.ContainsFunc(m.flight, func(c *call) bool {
		_, releases := c.op.(api.Release)
		return (releases || c.withdrawn) && m.holdings.newest(api.HandleOf(c.op)) == h
	})
}

// unpin lets the window go on that an Acquire holds up: it may wait at the master
// for hours, and Seen cannot pass it. It is withdrawn, and asked for again under
// another Seq. That costs its place among those that wait.
func (m *Machine) unpin() {
	if c := m.flight[0]; c.parked && !c.withdrawn {
		m.withdraw(c)
	}
}
