package session

import "time"

// lengths decides how long a lease is, within what the rows allow: a new master
// waits for the longest lease that its predecessor may have granted, and knows
// from the rows how long that is.
type lengths struct {
	cfg   Config
	row   time.Duration // no lease may be longer
	asked time.Duration // what a command under way makes of it; 0: there is none
	// low is below row, and no lease longer than low was granted after since; zero
	// where leases are as long as row, which holds whole milliseconds.
	low   time.Duration
	since time.Time
}

// grant is the length of a lease that begins now, with so many sessions.
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

// bound is what holds before and after the command under way.
func (l *lengths) bound() time.Duration {
	if l.asked > 0 {
		return min(l.row, l.asked)
	}
	return l.row
}

// wants is what the row should be: longer at once, shorter only when all leases of
// its length have run out. 0: what it is, or a command is under way.
func (l *lengths) wants(now time.Time, sessions int) time.Duration {
	want := l.cfg.length(sessions)
	switch {
	case l.asked > 0:
		return 0
	case want > l.row:
		return want
	}
	l.grant(now, sessions) // none is granted, but one as long might be
	if l.low > 0 && !now.Before(l.since.Add(l.row)) {
		return l.low
	}
	return 0
}

// due is when wants may have something new to say without another session.
func (l *lengths) due() time.Time {
	if l.asked > 0 || l.low == 0 {
		return time.Time{}
	}
	return l.since.Add(l.row)
}

// set tells what the row is.
func (l *lengths) set(row time.Duration) { l.row, l.asked, l.low = row, 0, 0 }
