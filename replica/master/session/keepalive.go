package session

import (
	"time"

	"github.com/chubbycell/chubby/internal/invariant"
	"github.com/chubbycell/chubby/replica/api"
)

// Park takes in a KeepAlive of a session, which must be in the table, and forgets an older one: the
// client waits for the newest. It is due when the lease is nearly over (C11.07), or at once if k.Now
// is set or the client has yet to acknowledge the epoch.
func (t *Table) Park(id api.SessionID, k KeepAlive) {
	e := t.sessions[id]
	if e.waits && k.ID < e.parked.ID {
		return
	}
	e.answerAt = k.Receipt
	if e.acked && !k.Now {
		length := t.length.grant(k.Receipt, len(t.sessions))
		if due := e.lease.Add(-margin(length)); due.After(e.answerAt) {
			e.answerAt = due
		}
	}
	e.parked, e.waits, e.aside = k, true, false
	t.arm(e)
}

// Hurry makes the waiting KeepAlive of a session due, because there is something to tell its client. It
// does nothing if the session is not in the table, has no KeepAlive that waits, or has yet to acknowledge
// the epoch.
func (t *Table) Hurry(now time.Time, id api.SessionID) {
	if e := t.sessions[id]; e != nil && e.waits && e.acked && now.Before(e.answerAt) {
		e.answerAt = now
		t.arm(e)
	}
}

// A KeepAlive is answered when 5 of the 12 parts of a lease are left: of Chubby's 12 s, the answer and
// a second try have 5 s (C11.22).
const (
	leaseParts  = 12
	marginParts = 5
)

func margin(length time.Duration) time.Duration { return length * marginParts / leaseParts }

// AckEpoch notes that the client of a session, which must be in the table, has acknowledged an epoch: its
// cache is empty, and it has presented all its handles. It reports whether that is news.
func (t *Table) AckEpoch(id api.SessionID, epoch api.Epoch) bool {
	e := t.sessions[id]
	if e.acked || epoch != t.epoch {
		return false
	}
	e.acked = true
	t.unacked--
	return true
}

// Answer is a KeepAlive that is to be answered now. Lease runs from its receipt.
type Answer struct {
	Session  api.SessionID
	To       KeepAlive
	Lease    time.Duration
	Failover bool // the client has yet to acknowledge the epoch
}

// Expiry is a session whose lease is over: its end is to be proposed.
type Expiry struct{ Session api.SessionID }

// Task is something to do for a session: an Answer or an Expiry.
type Task interface{ task() }

func (Answer) task() {}
func (Expiry) task() {}

// Next returns the next task that is due; nil: none is. known, which is not after now, is an instant at
// which this replica was certainly master: leases are granted from it, and a lease is over if it ended by
// then. inUse reports whether a session has an open handle or a call under way.
func (t *Table) Next(now, known time.Time, inUse func(api.SessionID) bool) Task {
	for e := t.timers.first(); e != nil && !e.due.After(known); e = t.timers.first() {
		owes := !e.late.IsZero() && known.Before(e.lease)
		over := !known.Before(e.ends())
		silent := e.leaves || t.isIdle(known, e, inUse) || t.isTooLate(known, e)
		switch {
		case e.waits && e.acked && !silent:
			length := t.length.grant(known, len(t.sessions))
			t.extend(e, e.within(known.Add(length), known, length))
			e.comes = e.within(now.Add(margin(length)), known, length)
			return t.answer(known, e)
		case over:
			e.expiring, e.quiet = true, silent
			t.arm(e)
			return Expiry{e.id}
		case e.waits && (!e.acked || owes): // a change waits for what an idle session acknowledges
			return t.answer(known, e)
		}
		e.withheld = true // no answer: the lease runs out, as promised
		t.arm(e)
	}
	return nil
}

func (t *Table) answer(now time.Time, e *entry) Answer {
	left := min(e.lease.Sub(e.parked.Receipt), api.MaxLease) // the client may be told less than the lease
	a := Answer{Session: e.id, To: e.parked, Lease: left, Failover: !e.acked}
	if a.Lease <= 0 {
		invariant.Failf("I-M2", "session %d is told a lease of %v; it ends %v after %v", e.id, a.Lease, e.lease, now)
	}
	e.parked, e.waits, e.withheld, e.told = KeepAlive{}, false, false, true
	t.arm(e)
	return a
}

// Refused takes note that the log did not take the end of a session. If a KeepAlive of the session waits
// and the session was neither idle nor late nor dismissed, the KeepAlive is answered. Otherwise the
// session is put aside, so that others do not wait behind it: nothing is due for it until Retry or its
// next KeepAlive, or until a call ends its idleness (Used).
func (t *Table) Refused(id api.SessionID) {
	if e := t.sessions[id]; e != nil && e.expiring {
		e.expiring = false
		if e.aside = !e.waits || !e.acked || e.quiet; e.aside {
			t.aside = append(t.aside, id)
		}
		t.arm(e)
	}
}

// Retry makes the sessions that were put aside due again: the log may take their ends now.
func (t *Table) Retry() {
	for _, id := range t.aside {
		if e := t.sessions[id]; e != nil && e.aside {
			e.aside = false
			t.arm(e)
		}
	}
	t.aside = t.aside[:0]
}

// isIdle reports whether a session is not used (C11.02). A session that is older than the epoch is never
// idle: it may have handles that the master does not know yet. Nor is a session whose client has not been
// told of a lease, in which to make a call: if its round trips were longer than IdleAfter, the client
// would open one session after another and never make a call. If a session is in use, inUse is not asked
// again until IdleAfter has passed.
func (t *Table) isIdle(now time.Time, e *entry, inUse func(api.SessionID) bool) bool {
	quiet := t.cfg.IdleAfter > 0 && !e.before && e.told && !now.Before(e.used.Add(t.cfg.IdleAfter))
	if quiet && inUse(e.id) {
		e.used, quiet = now, false
	}
	return quiet
}

// Used takes note that a call of a session arrived or was answered: the session is not idle now, but may be
// dismissed. A session that is not in the table is ignored.
func (t *Table) Used(now time.Time, id api.SessionID) {
	e := t.sessions[id]
	if e == nil {
		return
	}
	e.used = now
	if !e.leaves && (e.withheld || e.aside && e.waits && e.acked) {
		e.withheld, e.aside = false, false
		t.arm(e)
	}
}

// Due returns when Next may have a task; zero: not before another method has been called.
func (t *Table) Due() time.Time {
	if e := t.timers.first(); e != nil {
		return e.due
	}
	return time.Time{}
}

// Longest returns the value to which the row of the longest lease should be set: a larger one before a
// longer lease is granted, a smaller one after all longer leases have run out. 0: the row is as it should
// be, or Asked has noted a command that sets it.
func (t *Table) Longest(now time.Time) time.Duration {
	if !t.cfg.hasLeases() {
		return 0
	}
	return t.length.wants(now, len(t.sessions))
}

// LongestDue returns when Longest may return a smaller value; zero: not before another method has been
// called.
func (t *Table) LongestDue() time.Time { return t.length.due() }

// Asked takes note that a command that sets the row to d is under way; 0: the log did not take it.
func (t *Table) Asked(d time.Duration) { t.length.asked = d }

// SetLongest takes in the present value of the row. No command that sets it is under way now.
func (t *Table) SetLongest(d time.Duration) { t.length.set(d) }

// IsMeasured reports whether the row allows the shortest lease.
func (t *Table) IsMeasured() bool { return t.length.row >= t.cfg.LeaseMin }
