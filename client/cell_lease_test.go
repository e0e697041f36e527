package client_test

import (
	"time"

	"github.com/chubbycell/chubby/replica/api"
)

// fakeLease is how long the cell's leases are, on its clock.
const fakeLease = 12 * time.Second

// leases are what the cell's master remembers of sessions.
type leases struct {
	none    bool // the cell gives none
	end     map[api.SessionID]time.Time
	flushed map[api.SessionID]api.Epoch
	parked  map[api.SessionID]uint64 // the newest KeepAlive
	hurry   map[api.SessionID]func() // answers it
	told    map[api.SessionID]*told
}

func newLeases() leases {
	return leases{end: map[api.SessionID]time.Time{}, flushed: map[api.SessionID]api.Epoch{}, parked: map[api.SessionID]uint64{},
		hurry: map[api.SessionID]func(){}, told: map[api.SessionID]*told{}}
}

func (l *leases) begin(id api.SessionID, e api.Epoch, now time.Time) {
	l.end[id], l.flushed[id] = now.Add(fakeLease), e
}

// keepAlive answers at once, or when 5/12 of the lease are left.
func (c *cell) keepAlive(r request, o api.KeepAlive) {
	l, id, epoch, receipt := &c.leases, r.q.Session, c.epoch, c.now()
	for _, t := range o.Tokens {
		if h := c.handles[t]; h != nil && h.session == id {
			h.open = true
		}
	}
	if o.AckedEpoch == c.epoch && l.flushed[id] != c.epoch {
		l.flushed[id] = c.epoch
		c.failUnpresented(id)
	}
	l.parked[id] = r.q.ID
	c.ack(id, o.AckedEvents)
	c.unbar()
	answer := func() {
		if c.master == 0 || c.epoch != epoch || c.sessions[id] == nil || l.parked[id] != r.q.ID {
			return
		}
		if end := c.now().Add(fakeLease); end.After(l.end[id]) {
			l.end[id] = end
			c.after(fakeLease, func() { c.set(c.expire) })
		}
		delete(l.hurry, id)
		granted := api.Leased{Lease: l.end[id].Sub(receipt), Failover: l.flushed[id] != epoch}
		if !granted.Failover {
			granted.Events, granted.LastEvent = c.eventsOf(id)
		}
		c.answer(r, api.Result{Code: api.OK, Detail: granted})
	}
	l.hurry[id] = answer
	if o.Now || l.flushed[id] != c.epoch || c.hasEvents(id) {
		answer()
		return
	}
	c.after(max(0, l.end[id].Add(-fakeLease*5/12).Sub(receipt)), func() { c.set(answer) })
}

// expire ends the sessions whose leases are over.
func (c *cell) expire() {
	for id, end := range c.leases.end {
		if c.sessions[id] != nil && !end.After(c.now()) {
			c.endSession(id)
		}
	}
	c.wake()
	c.unbar()
}

func (c *cell) endSession(id api.SessionID) {
	delete(c.sessions, id)
	for t, h := range c.handles {
		if h.session == id {
			c.freeHandle(t)
			delete(c.handles, t)
		}
	}
}

// failover makes another replica master, which has no handles open.
func (c *cell) failover(master uint32) {
	c.master = master
	c.epoch++
	c.waiting = nil
	on := c.caching.on
	c.caching = newCaching()
	c.caching.on = on
	c.leases.told, c.leases.hurry = map[api.SessionID]*told{}, map[api.SessionID]func(){}
	for _, h := range c.handles {
		h.open, h.fence = false, h.own
	}
	for id := range c.sessions {
		if end := c.now().Add(fakeLease); end.After(c.leases.end[id]) {
			c.leases.end[id] = end
			c.after(fakeLease, func() { c.set(c.expire) })
		}
	}
}
