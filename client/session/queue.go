package session

import (
	"slices"
	"time"

	"github.com/chubbycell/chubby/replica/api"
)

// enqueue puts a call behind all others in the queue.
func (m *Machine) enqueue(c *call) {
	m.tickets++
	c.ticket = m.tickets
	m.queue = append(m.queue, c)
}

// again returns the call under another Seq.
func (c *call) again() *call {
	op := c.op
	if o, acquires := op.(api.Acquire); acquires {
		o.Wait = c.waits
		op = o
	}
	return &call{token: c.token, op: op, waits: c.waits, relaunched: true, lostGrants: c.lostGrants}
}

// pump launches queued calls as far as the window allows. Calls that clean up go first, and
// have room of their own.
func (m *Machine) pump(now time.Time) {
	m.pumped = now
	for m.state == Open && m.canExchange() {
		if len(m.cleanup) > 0 {
			c := m.cleanup[0]
			m.cleanup = slices.Delete(m.cleanup, 0, 1)
			m.launch(now, c)
			continue
		}
		i, wait := m.nextLaunchable(now)
		if i < 0 {
			return
		}
		if m.next > m.ackedThrough()+api.Seq(m.cfg.Window) {
			m.withdrawOldest(now)
			if len(m.cleanup) == 0 {
				return
			}
			continue
		}
		c := m.queue[i]
		m.queue = slices.Delete(m.queue, i, i+1)
		if o, acquires := c.op.(api.Acquire); acquires {
			o.Wait = wait
			c.op = o
		}
		m.launch(now, c)
	}
}

// nextLaunchable returns the index of the oldest queued call that may be sent, or -1, and whether
// it may wait at the master. Acquires that wait there may use half of the window, so that they do
// not block the Release for which they wait. Beyond that, an Acquire is tried now and then without
// waiting. Otherwise 40 programs of a Client that take the locks a and b in this order would stand
// still for ever: the one that holds a could not ask for b.
func (m *Machine) nextLaunchable(now time.Time) (i int, wait bool) {
	waiting := -1 // not counted yet
	for i, c := range m.queue {
		o, acquires := c.op.(api.Acquire)
		if !acquires {
			return i, false
		}
		if m.hasReleasePending(o.Handle) {
			continue
		}
		if !c.waits {
			return i, false
		}
		if waiting < 0 {
			waiting = m.countWaiting()
		}
		if waiting < max(1, m.cfg.Window/2) {
			return i, true
		}
		if !c.retryAt.After(now) {
			return i, false
		}
	}
	return -1, false
}

// isTakenBefore reports whether a code says that the lock is not available now, for an Acquire that
// waits and was sent as one that does not.
func (c *call) isTakenBefore(code api.Code) bool {
	o, acquires := c.op.(api.Acquire)
	return acquires && c.waits && !o.Wait && (code == api.LockHeld || code == api.LockDelayed)
}

// tryLater puts an Acquire that found its lock taken back to its place in the queue.
func (m *Machine) tryLater(now time.Time, c *call) {
	again := c.again()
	again.ticket, again.tries = c.ticket, c.tries+1
	again.retryAt = m.nextTry(now, c.tries)
	i := slices.IndexFunc(m.queue, func(o *call) bool { return o.ticket > c.ticket })
	if i < 0 {
		i = len(m.queue)
	}
	m.queue = slices.Insert(m.queue, i, again)
	m.pump(now)
}

// nextTry returns when an Acquire without room at the master is tried again, after n tries. A try
// may cost two further calls, of an Acquire that makes room for it in the window. Pauses are
// therefore longer than those of refused calls, and grow with the number of queued calls: together
// they make about 20 tries a second.
func (m *Machine) nextTry(now time.Time, n int) time.Time {
	pause := m.cfg.pause(min(4*m.cfg.RetryMin, m.cfg.RetryMax), n)
	return now.Add(pause + time.Duration(len(m.queue))*tryShare)
}

// tryShare is what each queued call adds to the pause of a try. lastTry is the number of tries
// after which the pause of a call no longer grows.
const (
	tryShare = 50 * time.Millisecond
	lastTry  = 8
)

// hasRetryDue reports whether an Acquire that found its lock taken should be tried again now.
func (m *Machine) hasRetryDue(now time.Time) bool {
	return slices.ContainsFunc(m.queue, func(c *call) bool { return !c.retryAt.IsZero() && !c.retryAt.After(now) })
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

// hasReleasePending reports whether a lock of the handle is being freed. An Acquire sent meanwhile
// would be answered that the handle holds the lock, because of the acquisition that is then freed.
func (m *Machine) hasReleasePending(h api.Token) bool {
	h = m.holdings.current(h)
	return slices.ContainsFunc(m.flight, func(c *call) bool {
		_, releases := c.op.(api.Release)
		return (releases || c.withdrawn) && m.holdings.current(api.HandleOf(c.op)) == h
	})
}

// withdrawOldest withdraws a parked Acquire that blocks the window: it may wait at the master for
// hours, and AckedThrough cannot cover it. It is sent again under another Seq; the master keeps its
// place in the wait queue of the lock until its turn. But an Acquire that was withdrawn just before its
// grant arrived stays for a while the next time, longer after each such grant. Otherwise no program of a
// Client with a small window might ever get a free lock: each grant is an event, and the calls that the
// event brings about make the next Acquire give way.
func (m *Machine) withdrawOldest(now time.Time) {
	if c := m.flight[0]; c.parked && !c.withdrawn && !now.Before(c.stays) {
		m.withdraw(c)
	}
}

// staysUntil returns when the parked Acquire that blocks the window may be withdrawn, if calls may wait
// for that; zero: none does.
func (m *Machine) staysUntil() (t time.Time) {
	if len(m.queue) > 0 && len(m.flight) > 0 {
		t = m.flight[0].stays
	}
	return t
}
