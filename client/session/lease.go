package session

import "time"

// Lease is what a client knows about its session's lease. While the lease runs the master does
// not end the session (C11.04), so the client still holds what it held.
type Lease uint8

const (
	// NoLease: there is no session, or its cell gives no leases.
	NoLease Lease = iota
	// Fresh: the session is new, and the client has not received a lease.
	Fresh
	// Valid: the lease runs.
	Valid
	// Jeopardy: the lease may be over; only the cell knows (C11.16).
	Jeopardy
)

// String prints the state as in traces.
func (l Lease) String() string {
	return [...]string{NoLease: "no lease", Fresh: "fresh", Valid: "valid", Jeopardy: "jeopardy"}[l]
}

// lease is the client's account of its session's lease. It is a set of instants, not of flags
// to reset: every input of the machine first calls advance.
type lease struct {
	rho   int64
	grace time.Duration

	state Lease
	// bound is the instant, by the client's clock, up to which the lease is known to run. It
	// never decreases.
	bound time.Time
	// giveUpAt is when the client gives the session up, in Fresh and Jeopardy. Neither sending
	// nor refusals move it (C11.19).
	giveUpAt time.Time
	// answerBy is when the next answer is overdue, in Valid: at three quarters of what was left
	// when the last one came. A master answers at seven twelfths.
	answerBy time.Time
}

// term returns for how long the client counts a lease of d: d(1-rho)/(1+rho), rounded down
// (C11.23). The client sends at s by its clock and counts until s + term. By then at most
// term/(1-rho) of true time has passed, and at most term(1+rho)/(1-rho) = d on the master's clock,
// since the sending and therefore since the receipt of the request. The lease ends d after the
// receipt. Message delays do not matter.
func (l *lease) term(d time.Duration) time.Duration {
	return d * time.Duration(million-l.rho) / time.Duration(million+l.rho)
}

// begin starts the lease of a new session.
func (l *lease) begin(now time.Time) { l.state, l.giveUpAt = Fresh, now.Add(l.grace) }

// onGrant handles a lease of d that answers the KeepAlive sent at the instant sent. It returns
// whether this ends Fresh or Jeopardy.
func (l *lease) onGrant(now, sent time.Time, d time.Duration) (safe bool) {
	if to := sent.Add(l.term(d)); to.After(l.bound) {
		l.bound = to
	}
	if !now.Before(l.bound) {
		return false
	}
	safe = l.state != Valid
	l.state = Valid
	l.answerBy = l.bound.Add(-l.bound.Sub(now) / 4)
	return safe
}

// leaseChange is the effect of the passing of time on a lease.
type leaseChange uint8

const (
	leaseUnchanged leaseChange = iota
	leaseInJeopardy
	leaseExpired
)

// advance handles the first deadline that has passed. It is called again until nothing changes.
func (l *lease) advance(now time.Time) leaseChange {
	switch {
	case l.state == Valid && !now.Before(l.bound):
		l.state, l.giveUpAt = Jeopardy, l.bound.Add(l.grace)
		return leaseInJeopardy
	case (l.state == Fresh || l.state == Jeopardy) && !now.Before(l.giveUpAt):
		return leaseExpired
	}
	return leaseUnchanged
}

// nextChange returns the instant at which time alone changes the lease; zero: none.
func (l *lease) nextChange() time.Time {
	switch l.state {
	case Valid:
		return l.bound
	case Fresh, Jeopardy:
		return l.giveUpAt
	}
	return time.Time{}
}
