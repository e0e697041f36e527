package session

import "time"

// lengths decides how long a lease is, within the row of the longest lease: a new master waits for the
// longest lease that its predecessor may have granted, which it reads from that row.
type lengths struct {
	cfg   Config
	row   time.Duration // the longest lease by the rows, in whole milliseconds
	asked time.Duration // the value that a command under way gives to the row; 0: there is none
	// low is below row, and no lease longer than low was granted after since. It is zero while
	// leases are as long as row allows.
	low   time.Duration
	since time.Time
}

// grant returns the length of a lease that begins now, with so many sessions, and notes it in low.
func (l *lengths) grant(now time.Time, sessions int) time.Duration {
	want := min(l.cfg.length(sessions), l.bound())
	switch {
	case want > l.row-time.Millisecond:
		l.low = 0
	case l.low == 0 || want > l.low:
		l.low, l.since = want, now
	}
	return want
}

// bound is a length that the row allows both before and after the command under way.
func (l *lengths) bound() time.Duration {
	if l.asked > 0 {
		return min(l.row, l.asked)
	}
	return l.row
}

// wants returns the value that the row should get: a larger one at once, a smaller one only after all
// leases as long as the row have run out. 0: the row is as it should be, or a command is under way.
func (l *lengths) wants(now time.Time, sessions int) time.Duration {
	want := l.cfg.length(sessions)
	switch {
	case l.asked > 0:
		return 0
	case want > l.row:
		return want
	}
	l.grant(now, sessions) // no lease is granted here, but one of this length might be
	if l.low > 0 && !now.Before(l.since.Add(l.row)) {
		return l.low
	}
	return 0
}

// due returns when wants may return a smaller value; zero: not before another method has been called.
func (l *lengths) due() time.Time {
	if l.asked > 0 || l.low == 0 {
		return time.Time{}
	}
	return l.since.Add(l.row)
}

// set takes in the present value of the row.
func (l *lengths) set(row time.Duration) { l.row, l.asked, l.low = row, 0, 0 }
