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
// acknowledged, and whether the client was told of it; zero: there is none. A session that is not there is
// ignored.
func (t *Table) Late(id api.SessionID, since time.Time, told bool) {
	e := t.sessions[id]
	if e == nil || e.late.Equal(since) && e.lateTold == told {
		return
	}
	e.late, e.lateTold = since, told
	if e.withheld {
		e.withheld = false
		t.arm(e)
	}
}

// within keeps an instant within one length from when the oldest drop was queued. It does not where known
// is behind that and the client was told nothing: the master was silent for so long.
func (e *entry) within(to, known time.Time, length time.Duration) time.Time {
	last := e.late.Add(length)
	if e.late.IsZero() || to.Before(last) || !e.lateTold && !known.Before(last) {
		return to
	}
	return last
}

// isTooLate reports whether the lease of a session that was told a drop and has not acknowledged it has
// been over, and may not be longer: its client is answered no more.
func (t *Table) isTooLate(known time.Time, e *entry) bool {
	if e.late.IsZero() || !e.lateTold || known.Before(e.lease) {
		return false
	}
	return !known.Before(e.late.Add(t.length.grant(known, len(t.sessions))))
}
