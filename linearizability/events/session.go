package events

import (
	"fmt"

	"github.com/chubbycell/chubby/linearizability/history"
)

// SessionKind is what happened to a session.
type SessionKind uint8

// The kinds of SessionEvents.
const (
	// SessionPromised: Master promised not to end the session before Bound.
	SessionPromised SessionKind = iota + 1
	// SessionClientBound: the client counts on the session until Bound.
	SessionClientBound
	// SessionExpired: Master ended the session without a request of its client.
	SessionExpired
	// SessionClosed: the session ended at the request of its client.
	SessionClosed
	// SessionDone: operation Seq of the session was executed.
	SessionDone
	// SessionLost: operation Seq was not executed, because the session was over.
	SessionLost
)

// SessionEvent is a change of a session, at the instant and the place at which it happened.
type SessionEvent struct {
	At      int64 // true time in nanoseconds
	Kind    SessionKind
	Session string
	Master  string // SessionPromised, SessionExpired
	// Bound is the true time in nanoseconds at which the lease ends by the clock of the master
	// or client that has the bound, at its rate as of this event. When a clock changes its
	// rate, the event is repeated with the same Lease.
	Bound int64
	// Lease is, for SessionPromised, the same instant on the master's own clock; 0: unknown.
	Lease int64
	Seq   int64 // SessionDone, SessionLost: number of the operation in its session
}

// CheckSessions checks the events of sessions, in the order in which they happened (property
// S11): no master ends a session before a bound that any master promised, or moves the end of a
// lease back; a client's bound is never later than every bound promised before; nothing is
// promised or executed after the session's end; and the operations that a session loses are its
// last ones.
func CheckSessions(events []SessionEvent) []Finding {
	c := sessions{events: events, all: map[string]*sessionFacts{}}
	for i := range events {
		s := c.all[events[i].Session]
		if s == nil {
			s = &sessionFacts{ended: -1, lost: -1, done: -1}
			c.all[events[i].Session] = s
		}
		c.apply(s, i)
	}
	return c.found
}

type sessions struct {
	events []SessionEvent
	found  findings
	all    map[string]*sessionFacts
}

// sessionFacts is the state of a session, as the indexes of the events that made it; -1: none.
type sessionFacts struct {
	promises []int // the last promise of each master
	ended    int
	lost     int // the lost operation with the lowest Seq
	done     int // the executed one with the highest Seq
}

func (c *sessions) apply(s *sessionFacts, i int) {
	e := &c.events[i]
	switch e.Kind {
	case SessionPromised:
		c.checkEnded(s, i, "something is promised to")
		c.onPromise(s, i)
	case SessionClientBound:
		c.onClientBound(s, i)
	case SessionExpired:
		c.onExpired(s, i)
		s.ended = i
	case SessionClosed:
		s.ended = i
	case SessionDone:
		c.checkEnded(s, i, "something is done for")
		if s.done < 0 || c.events[s.done].Seq < e.Seq {
			s.done = i
		}
		c.checkMiddle(s, i)
	case SessionLost:
		if s.lost < 0 || c.events[s.lost].Seq > e.Seq {
			s.lost = i
		}
		c.checkMiddle(s, i)
	}
}

func (c *sessions) checkEnded(s *sessionFacts, i int, what string) {
	if s.ended >= 0 {
		c.found.add(Revived, []int{s.ended, i}, "%s session %s, which was over:\n  %s\n  %s",
			what, c.events[i].Session, c.line(s.ended), c.line(i))
	}
}

func (c *sessions) onPromise(s *sessionFacts, i int) {
	e := &c.events[i]
	for k, j := range s.promises {
		p := &c.events[j]
		if p.Master != e.Master {
			continue
		}
		if e.Lease != 0 && e.Lease < p.Lease || e.Lease == 0 && p.Lease == 0 && e.Bound < p.Bound {
			c.found.add(BrokenPromise, []int{j, i}, "the lease end of session %s moves back:\n  %s\n  %s", e.Session, c.line(j), c.line(i))
			return // the first promise still counts
		}
		s.promises[k] = i
		return
	}
	s.promises = append(s.promises, i)
}

func (c *sessions) onClientBound(s *sessionFacts, i int) {
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
		c.found.add(BeyondPromise, []int{i}, "the client of session %s has a bound, and no master promised any:\n  %s", e.Session, c.line(i))
		return
	}
	c.found.add(BeyondPromise, []int{best, i}, "the client of session %s has a bound later than every promised one:\n  %s\n  %s", e.Session, c.line(best), c.line(i))
}

func (c *sessions) onExpired(s *sessionFacts, i int) {
	for _, j := range s.promises {
		if c.events[j].Bound > c.events[i].At {
			c.found.add(EarlyEnd, []int{j, i}, "session %s is ended before a bound that was promised:\n  %s\n  %s", c.events[i].Session, c.line(j), c.line(i))
		}
	}
}

// checkMiddle finds an operation that was lost before one that was executed; i is one of the
// two.
func (c *sessions) checkMiddle(s *sessionFacts, i int) {
	if s.lost >= 0 && s.done >= 0 && c.events[s.lost].Seq < c.events[s.done].Seq && (i == s.lost || i == s.done) {
		a, b := min(s.lost, s.done), max(s.lost, s.done)
		c.found.add(LostMiddle, []int{a, b}, "session %s lost an operation, and a later one was executed:\n  %s\n  %s", c.events[i].Session, c.line(a), c.line(b))
	}
}

// line describes an event.
func (c *sessions) line(i int) string {
	e := &c.events[i]
	at := history.Seconds(e.At)
	switch e.Kind {
	case SessionPromised:
		return fmt.Sprintf("%s: %s promises not to end it before %s", at, e.Master, history.Seconds(e.Bound))
	case SessionClientBound:
		return fmt.Sprintf("%s: its client counts on it until %s", at, history.Seconds(e.Bound))
	case SessionExpired:
		return fmt.Sprintf("%s: %s ends it", at, e.Master)
	case SessionClosed:
		return fmt.Sprintf("%s: its client closes it", at)
	case SessionDone:
		return fmt.Sprintf("%s: operation %d is done", at, e.Seq)
	}
	return fmt.Sprintf("%s: operation %d is lost", at, e.Seq)
}
