package session

import (
	"time"

	"github.com/chubbycell/chubby/replica/api"
)

// MayCache reports whether the client of a session may keep in its cache what it is answered now: it
// knows of the epoch, and has a lease that runs.
func (t *Table) MayCache(now time.Time, id api.SessionID) bool {
	e := t.sessions[id]
	return e != nil && e.acked && !e.expiring && now.Before(e.lease)
}

// Late takes note of when the oldest drop was queued of those that the client of a session has not
// acknowledged; zero: there is none. A session that is not there is ignored.
func (t *Table) Late(id api.SessionID, since time.Time) {
	e := t.sessions[id]
	if e == nil || e.late.Equal(since) {
		return
	}
	e.late = since
	if e.withheld {
		e.withheld = false
		t.arm(e)
	}
}

// within keeps an instant within one length from when the oldest drop was queued.
func (e *entry) within(to time.Time, length time.Duration) time.Time {
	if last := e.late.Add(length); !e.late.IsZero() && last.Before(to) {
		return last
	}
	return to
}

// isTooLate reports whether the lease of a session that has a drop to acknowledge has been over, and
// may not be longer: its client is answered no more.
func (t *Table) isTooLate(known time.Time, e *entry) bool {
	if e.late.IsZero() || known.Before(e.lease) {
		return false
	}
	return !known.Before(e.late.Add(t.length.grant(known, len(t.sessions))))
}
