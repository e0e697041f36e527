package session

import (
	"time"

	"github.com/chubbycell/chubby/internal/invariant"
	"github.com/chubbycell/chubby/replica/api"
)

// Park takes in a KeepAlive of a session that is there, and forgets an older one:
// the client waits for the newest. It is answered when the lease is nearly over
// (C11.07), or at once, where the client asks for that or has yet to acknowledge the
// epoch.
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

// Hurry makes due the KeepAlive of a session that waits: there is something to tell its client. It
// does nothing for a session that is not there, has no KeepAlive that waits, or has yet to
// acknowledge the epoch.
func (t *Table) Hurry(now time.Time, id api.SessionID) {
	if e := t.sessions[id]; e != nil && e.waits && e.acked && now.Before(e.answerAt) {
		e.answerAt = now
		t.arm(e)
	}
}

// A KeepAlive is answered when 5 of the 12 parts of a lease are left, so that of
// Chubby's 12 s the answer and a second try have 5 (C11.22).
const (
	leaseParts  = 12
	marginParts = 5
)

func margin(length time.Duration) time.Duration { return length * marginParts / leaseParts }

// AckEpoch notes that the client has acknowledged an epoch: its cache is empty,
// and all that it has to present has been presented. It says whether that is news.
func (t *Table) AckEpoch(id api.SessionID, epoch api.Epoch) bool {
	e := t.sessions[id]
	if e.acked || epoch != t.epoch {
		return false
	}
	e.acked = true
	t.unacked--
	return true
}

// Answer is a KeepAlive that is to be answered, with the lease from its receipt.
type Answer struct {
	Session  api.SessionID
	To       KeepAlive
	Lease    time.Duration
	Failover bool // the client has yet to acknowledge the epoch
}

// Expiry is a session whose lease is over: an end of it is to be proposed.
type Expiry struct{ Session api.SessionID }

// Task is what is to be done for a session: Answer or Expiry.
type Task interface{ task() }

func (Answer) task() {}
func (Expiry) task() {}

// Next takes what is to be done first, now; nil: nothing is due. At the instant known,
// not after now, this master was master for certain: what is promised begins there, and
// what ends has ended by then. inUse reports whether a session has an open handle, or a call
// under way.
func (t *Table) Next(now, known time.Time, inUse func(api.SessionID) bool) Task {
	for e := t.timers.first(); e != nil && !e.due.After(known); e = t.timers.first() {
		over := !known.Before(e.ends())
		silent := t.isIdle(known, e, inUse) || t.isTooLate(known, e)
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
		case e.waits && !e.acked:
			return t.answer(known, e)
		}
		e.withheld = true // the lease runs out, as it was promised
		t.arm(e)
	}
	return nil
}

func (t *Table) answer(now time.Time, e *entry) Answer {
	left := min(e.lease.Sub(e.parked.Receipt), api.MaxLease) // less than it is may be told
	a := Answer{Session: e.id, To: e.parked, Lease: left, Failover: !e.acked}
	if a.Lease <= 0 {
		invariant.Failf("I-M2", "session %d is told a lease of %v; it ends %v after %v", e.id, a.Lease, e.lease, now)
	}
	e.parked, e.waits, e.withheld, e.told = KeepAlive{}, false, false, true
	t.arm(e)
	return a
}

// Refused takes note that the log did not take the end of a session. If its client waits for
// an answer, it gets one; but a session that is idle, or whose client does not wait, is put aside:
// nothing is due for it, lest others wait behind it, until its client comes, or Retry.
// A client that waits comes with a call, too: its session is idle no more.
func (t *Table) Refused(id api.SessionID) {
	if e := t.sessions[id]; e != nil && e.expiring {
		e.expiring = false
		if e.aside = !e.waits || !e.acked || e.quiet; e.aside {
			t.aside = append(t.aside, id)
		}
		t.arm(e)
	}
}

// Retry makes due again what was put aside: the log may take the ends of sessions that it did not take.
func (t *Table) Retry() {
	for _, id := range t.aside {
		if e := t.sessions[id]; e != nil && e.aside {
			e.aside = false
			t.arm(e)
		}
	}
	t.aside = t.aside[:0]
}

// isIdle reports whether a session is not used (C11.02). One that is older than the
// epoch may have handles that were not used in it yet, and that the master does not know. A client
// that was told of no lease has none to make a call in: if its round trips were longer
// than IdleAfter, it would open session after session and never make one. One that is in
// use now is not asked about again before it could be idle.
func (t *Table) isIdle(now time.Time, e *entry, inUse func(api.SessionID) bool) bool {
	quiet := t.cfg.IdleAfter > 0 && !e.before && e.told && !now.Before(e.used.Add(t.cfg.IdleAfter))
	if quiet && inUse(e.id) {
		e.used, quiet = now, false
	}
	return quiet
}

// Used takes note that a call of a session came, or was answered: the session is not idle
// from now on. A session that is not there is ignored.
func (t *Table) Used(now time.Time, id api.SessionID) {
	e := t.sessions[id]
	if e == nil {
		return
	}
	e.used = now
	if e.withheld || e.aside && e.waits && e.acked {
		e.withheld, e.aside = false, false
		t.arm(e)
	}
}

// Due is when Next may have something to give; zero: never.
func (t *Table) Due() time.Time {
	if e := t.timers.first(); e != nil {
		return e.due
	}
	return time.Time{}
}

// Longest is what the row of the longest lease should be, before a longer lease is
// granted, or since all longer ones have run out; 0: what it is, or Asked.
func (t *Table) Longest(now time.Time) time.Duration {
	if !t.cfg.hasLeases() {
		return 0
	}
	return t.length.wants(now, len(t.sessions))
}

// LongestDue is when Longest may want a shorter one; zero: not before more happens.
func (t *Table) LongestDue() time.Time { return t.length.due() }

// Asked takes note that a command is under way that sets the row; 0: it is not, after
// all.
func (t *Table) Asked(d time.Duration) { t.length.asked = d }

// SetLongest sets what the row is now.
func (t *Table) SetLongest(d time.Duration) { t.length.set(d) }

// IsMeasured reports whether the row allows the shortest lease.
func (t *Table) IsMeasured() bool { return t.length.row >= t.cfg.LeaseMin }
