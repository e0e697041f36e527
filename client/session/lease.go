package session

import "time"

// Lease is what a client knows about its session's lease. While it runs the master
// does not end the session (C11.04), so what the client holds is still its own.
type Lease uint8

const (
	// NoLease: there is no session, or its cell gives no leases.
	NoLease Lease = iota
	// Fresh: the session is new, and the client has not been told of its lease.
	Fresh
	// Valid: the lease runs.
	Valid
	// Jeopardy: the lease may be over, or not: only the cell knows (C11.16).
	Jeopardy
)

// String prints the state as traces do.
func (l Lease) String() string {
	return [...]string{NoLease: "no lease", Fresh: "fresh", Valid: "valid", Jeopardy: "jeopardy"}[l]
}

// lease is the client's own account of its session's lease. It goes by instants
// and not by flags that somebody must remember to take down: every door of the
// machine first calls pass.
type lease struct {
	rho   int64
	grace time.Duration

	state Lease
	// bound is the instant, by the client's clock, up to which the lease is known
	// to run. It is never lowered.
	bound time.Time
	// end is when the client gives the session up, in Fresh and Jeopardy. What is
	// sent meanwhile, and what comes of it, does not move it (C11.19).
	end time.Time
	// soon is when the next answer is overdue, while Valid: at three quarters of what
	// was left when the last one came. A master answers at seven twelfths.
	soon time.Time
}

// term is how long the client counts a lease of d: d(1-rho)/(1+rho), rounded down
// (C11.23). The client sends at s by its clock and counts until s + term. By then at
// most term/(1-rho) have passed in truth, and at most term(1+rho)/(1-rho) = d on the
// master's clock, since the sending and so since the receipt of the request: the
// lease ends d after that. How long anything was on its way does not matter.
func (l *lease) term(d time.Duration) time.Duration {
	return d * time.Duration(million-l.rho) / time.Duration(million+l.rho)
}

// begin is the opening of a session.
func (l *lease) begin(now time.Time) { l.state, l.end = Fresh, now.Add(l.grace) }

// granted says that a KeepAlive sent at the instant sent is answered with a lease
// of d. safe says that this ends Fresh or Jeopardy.
func (l *lease) granted(now, sent time.Time, d time.Duration) (safe bool) {
	if to := sent.Add(l.term(d)); to.After(l.bound) {
		l.bound = to
	}
	if !now.Before(l.bound) {
		return false
	}
	safe = l.state != Valid
	l.state = Valid
	l.soon = l.bound.Add(-l.bound.Sub(now) / 4)
	return safe
}

// change is what the passing of time does to a lease.
type change uint8

const (
	nothing change = iota
	threatened
	lapsed
)

// pass says that it is now. It is called again until nothing has changed.
func (l *lease) pass(now time.Time) change {
	switch {
	case l.state == Valid && !now.Before(l.bound):
		l.state, l.end = Jeopardy, l.bound.Add(l.grace)
		return threatened
	case (l.state == Fresh || l.state == Jeopardy) && !now.Before(l.end):
		return lapsed
	}
	return nothing
}

// next is the instant at which time alone changes something.
func (l *lease) next() time.Time {
	switch l.state {
	case Valid:
		return l.bound
	case Fresh, Jeopardy:
		return l.end
	}
	return time.Time{}
}
