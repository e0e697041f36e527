package session

import (
	"slices"
	"time"

	"github.com/chubbycell/chubby/replica/api"
)

// pump launches queued calls as far as the window allows. Calls that clean up go first, and
// have room of their own.
func (m *Machine) pump(now time.Time) {
	for m.state == Open && m.canExchange() {
		if len(m.cleanup) > 0 {
			c := m.cleanup[0]
			m.cleanup = slices.Delete(m.cleanup, 0, 1)
			m.launch(now, c)
			continue
		}
		i := m.nextLaunchable()
		if i < 0 {
			return
		}
		if m.next > m.ackedThrough()+api.Seq(m.cfg.Window) {
			m.withdrawOldest()
			if len(m.cleanup) == 0 {
				return
			}
			continue
		}
		c := m.queue[i]
		m.queue = slices.Delete(m.queue, i, i+1)
		m.launch(now, c)
	}
}

// nextLaunchable is the index of the oldest queued call that may be sent, or -1. Acquires that
// wait may take half of the window, so that a Release is not blocked by the Acquires that wait
// for it.
func (m *Machine) nextLaunchable() int {
	waiting := -1 // not counted yet
	for i, c := range m.queue {
		o, acquires := c.op.(api.Acquire)
		if !acquires {
			return i
		}
		if o.Wait && waiting < 0 {
			waiting = m.countWaiting()
		}
		if (!o.Wait || waiting < max(1, m.cfg.Window/2)) && !m.hasReleasePending(o.Handle) {
			return i
		}
	}
	return -1
}

// countWaiting counts the waiting Acquires in flight.
func (m *Machine) countWaiting() int {
	n := 0
	for _, c := range m.flight {
		if o, ok := c.op.(api.Acquire); ok && o.Wait {
			n++
		}
	}
	return n
}

// hasReleasePending reports whether a lock of the handle is being freed. An Acquire sent
// meanwhile would be answered that the handle holds the lock, because of the acquisition that
// is then freed.
func (m *Machine) hasReleasePending(h api.Token) bool {
	h = m.holdings.current(h)
	return slices.ContainsFunc(m.flight, func(c *call) bool {
		_, releases := c.op.(api.Release)
		return (releases || c.withdrawn) && m.holdings.current(api.HandleOf(c.op)) == h
	})
}

// withdrawOldest withdraws a parked Acquire that blocks the window: it may wait at the master
// for hours, and AckedThrough cannot cover it. It is sent again under another Seq, and loses
// its place in the wait queue of the lock.
func (m *Machine) withdrawOldest() {
	if c := m.flight[0]; c.parked && !c.withdrawn {
		m.withdraw(c)
	}
}
