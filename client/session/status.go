package session

import (
	"time"

	"github.com/chubbycell/chubby/replica/api"
)

// State is where a Machine is in its life; doc.go draws the ways between them.
type State uint8

const (
	// Idle: nothing was asked yet, nothing was sent.
	Idle State = iota
	// Opening: the session's id is not known yet; calls queue.
	Opening
	// Open: calls are under way.
	Open
	// Ending: Close was called; no more calls.
	Ending
	// Over: the session is ended, expired or was refused; nothing is sent and
	// nothing is outstanding.
	Over
)

// String prints the state as traces do.
func (s State) String() string {
	return [...]string{Idle: "idle", Opening: "opening", Open: "open", Ending: "ending", Over: "over"}[s]
}

// Status is what a Machine looks like from the outside.
type Status struct {
	State   State
	Why     Why // where Over: Closed, Expired, or Answered if opening was refused
	Session api.SessionID
	Epoch   api.Epoch // the highest heard of
	Target  uint32    // the replica taken for the master
	Seen    api.Seq
	Flight  int // calls sent and waited for, the opener and the ender included
	Queued  int // calls not sent yet

	Lease Lease
	// Bound is the instant, by the client's clock, before which the session is
	// known to be alive; zero: it never was known. That is asked of the present
	// instant each time that it matters: a Lease of Valid was true when the machine
	// was last called.
	Bound time.Time
}

// Status returns the present state of things.
func (m *Machine) Status() Status {
	s := Status{
		State: m.state, Why: m.over, Session: m.session, Epoch: m.epoch,
		Target: m.route.target(), Seen: m.seen(), Flight: len(m.flight), Queued: len(m.queue),
		Lease: m.lease.state, Bound: m.lease.bound,
	}
	if m.opener != nil {
		s.Flight++
	}
	return s
}
