package session

import (
	"time"

	"github.com/chubbycell/chubby/replica/api"
)

// MayCache reports whether the client of a session may keep an answer of now in its cache: it has
// acknowledged the epoch, its lease runs, and its end is not proposed.
func (t *Table) MayCache(now time.Time, id api.SessionID) bool {
	e := t.sessions[id]
	return e != nil && e.acked && !e.expiring && now.Before(e.lease)
}

// Late takes note of when the oldest unacknowledged drop of a session was queued, and whether the client
// was told of it; zero: there is none. A session that is not in the table is ignored.
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

// within returns to, or one length after the oldest drop was queued if that is earlier. It returns to if
// the client was not told of the drop and known is after that bound: then the master was silent meanwhile.
func (e *entry) within(to, known time.Time, length time.Duration) time.Time {
	last := e.late.Add(length)
	if e.late.IsZero() || to.Before(last) || !e.lateTold && !known.Before(last) {
		return to
	}
	return last
}

// isTooLate reports whether a session has left a drop that it was told of unacknowledged for one length,
// and its lease is over. Its KeepAlives are not answered any more.
func (t *Table) isTooLate(known time.Time, e *entry) bool {
	if e.late.IsZero() || !e.lateTold || known.Before(e.lease) {
		return false
	}
	return !known.Before(e.late.Add(t.length.grant(known, len(t.sessions))))
}
