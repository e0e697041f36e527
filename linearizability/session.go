package linearizability

import "fmt"

// SessionKind is what happened to a session.
type SessionKind uint8

// What happens to sessions.
const (
	// SessionPromised: Master bound itself not to end the session before Bound.
	SessionPromised SessionKind = iota + 1
	// SessionBelieved: the client counts on the session until Bound.
	SessionBelieved
	// SessionExpired: Master ended the session of its own accord.
	SessionExpired
	// SessionClosed: the session ended because its client asked for it.
	SessionClosed
	// SessionDone: operation Seq of the session was done.
	SessionDone
	// SessionLost: operation Seq was not done, because the session was over.
	SessionLost
)

// SessionEvent is something that happened to a session, at the instant at which
// it happened where it happened.
type SessionEvent struct {
	At      int64 // true time in nanoseconds
	Kind    SessionKind
	Session string
	Master  string // SessionPromised, SessionExpired
	// Bound is a true time in nanoseconds: when the clock of who promised, or
	// believed, comes to the end of the lease, as that clock runs at this event. A
	// clock that changes its rate is told again, with the same Lease.
	Bound int64
	// Lease is, of SessionPromised, the same instant on the master's own clock; 0:
	// not told.
	Lease int64
	Seq   int64 // place of an operation in its session
}

// CheckSessions judges what was done to sessions, the events being in the order
// in which they happened (property S11): no master ends a session before a bound
// that any master promised, nor moves a lease end back; a client's bound is never
// later than all that was promised before; nothing is promised or done once the
// session is over; and what is lost with a session is the last of its operations.
func CheckSessions(events []SessionEvent) []Finding {
	c := sessions{events: events, all: map[string]*sessionFacts{}}
	for i := range events {
		s := c.all[events[i].Session]
		if s == nil {
			s = &sessionFacts{ended: -1, lost: -1, done: -1}
			c.all[events[i].Session] = s
		}
		c.event(s, i)
	}
	return c.found
}

type sessions struct {
	events []SessionEvent
	found  findings
	all    map[string]*sessionFacts
}

// sessionFacts is a session by the events that made it what it is; -1: none.
type sessionFacts struct {
	promises []int // the last of each master
	ended    int
	lost     int // the lost operation with the lowest Seq
	done     int // the done one with the highest
}

func (c *sessions) event(s *sessionFacts, i int) {
	e := &c.events[i]
	switch e.Kind {
	case SessionPromised:
		c.revived(s, i, "something is promised to")
		c.promised(s, i)
	case SessionBelieved:
		c.believed(s, i)
	case SessionExpired:
		c.expired(s, i)
		s.ended = i
	case SessionClosed:
		s.ended = i
	case SessionDone:
		c.revived(s, i, "something is done for")
		if s.done < 0 || c.events[s.done].Seq < e.Seq {
			s.done = i
		}
		c.middle(s, i)
	case SessionLost:
		if s.lost < 0 || c.events[s.lost].Seq > e.Seq {
			s.lost = i
		}
		c.middle(s, i)
	}
}

func (c *sessions) revived(s *sessionFacts, i int, what string) {
	if s.ended >= 0 {
		c.found.add(Revived, []int{s.ended, i}, "%s session %s, which was over:\n  %s\n  %s",
			what, c.events[i].Session, c.line(s.ended), c.line(i))
	}
}

func (c *sessions) promised(s *sessionFacts, i int) {
	e := &c.events[i]
	for k, j := range s.promises {
		p := &c.events[j]
		if p.Master != e.Master {
			continue
		}
		if e.Lease != 0 && e.Lease < p.Lease || e.Lease == 0 && p.Lease == 0 && e.Bound < p.Bound {
			c.found.add(BrokenPromise, []int{j, i}, "the lease end of session %s moves back:\n  %s\n  %s", e.Session, c.line(j), c.line(i))
			return // the master is still held to the first
		}
		s.promises[k] = i
		return
	}
	s.promises = append(s.promises, i)
}

func (c *sessions) believed(s *sessionFacts, i int) {
	e, best := &c.events[i], -1
	for _, j := range s.promises {
		if c.events[j].Bound >= e.Bound {
			return
		}
		if best < 0 || c.events[j].Bound > c.events[best].Bound {
			best = j
		}
	}
	if best < 0 {
		c.found.add(BeyondPromise, []int{i}, "the client of session %s has a bound, and nobody promised any:\n  %s", e.Session, c.line(i))
		return
	}
	c.found.add(BeyondPromise, []int{best, i}, "the client of session %s has a bound later than all that was promised:\n  %s\n  %s", e.Session, c.line(best), c.line(i))
}

func (c *sessions) expired(s *sessionFacts, i int) {
	for _, j := range s.promises {
		if c.events[j].Bound > c.events[i].At {
			c.found.add(EarlyEnd, []int{j, i}, "session %s is ended before a bound that was promised:\n  %s\n  %s", c.events[i].Session, c.line(j), c.line(i))
		}
	}
}

// middle tells of an operation that was lost before one that was done, i being
// one of the two.
func (c *sessions) middle(s *sessionFacts, i int) {
	if s.lost >= 0 && s.done >= 0 && c.events[s.lost].Seq < c.events[s.done].Seq && (i == s.lost || i == s.done) {
		a, b := min(s.lost, s.done), max(s.lost, s.done)
		c.found.add(LostMiddle, []int{a, b}, "session %s lost an operation, and a later one was done:\n  %s\n  %s", c.events[i].Session, c.line(a), c.line(b))
	}
}

// line is an event in words.
func (c *sessions) line(i int) string {
	e := &c.events[i]
	at := seconds(e.At)
	switch e.Kind {
	case SessionPromised:
		return fmt.Sprintf("%s: %s promises not to end it before %s", at, e.Master, seconds(e.Bound))
	case SessionBelieved:
		return fmt.Sprintf("%s: its client counts on it until %s", at, seconds(e.Bound))
	case SessionExpired:
		return fmt.Sprintf("%s: %s ends it", at, e.Master)
	case SessionClosed:
		return fmt.Sprintf("%s: its client closes it", at)
	case SessionDone:
		return fmt.Sprintf("%s: operation %d is done", at, e.Seq)
	}
	return fmt.Sprintf("%s: operation %d is lost", at, e.Seq)
}
