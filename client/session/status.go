package session

import (
	"time"

	"github.com/chubbycell/chubby/replica/api"
)

// State is the phase of a Machine's life; doc.go shows the transitions.
type State uint8

const (
	// Idle: no input yet, nothing sent.
	Idle State = iota
	// Opening: the session's id is not known yet; calls queue.
	Opening
	// Open: calls are sent.
	Open
	// Ending: Close was called; no more calls start.
	Ending
	// Over: the session has ended, expired or was refused. Nothing is sent and nothing is
	// outstanding.
	Over
)

// String prints the state as in traces.
func (s State) String() string {
	return [...]string{Idle: "idle", Opening: "opening", Open: "open", Ending: "ending", Over: "over"}[s]
}

// Status describes the state of a Machine.
type Status struct {
	State   State
	Why     Why // in Over: Closed, Expired, or Answered if opening was refused
	Session api.SessionID
	Epoch   api.Epoch // the highest received
	Target  uint32    // the replica taken for the master
	// the highest Seq up to which the client waits for no call
	AckedThrough api.Seq
	Flight       int // calls in flight, with OpenSession and EndSession
	Queued       int // calls not sent yet

	Lease Lease
	// Bound is the instant, by the client's clock, before which the session is known to be
	// alive; zero: it never was. Compare it with the present instant whenever it matters: Lease
	// is as of the machine's last input.
	Bound time.Time
}

// Status returns the present state.
func (m *Machine) Status() Status {
	s := Status{
		State: m.state, Why: m.why, Session: m.session, Epoch: m.epoch,
		Target: m.route.target(), AckedThrough: m.ackedThrough(), Flight: len(m.flight), Queued: len(m.queue),
		Lease: m.lease.state, Bound: m.lease.bound,
	}
	if m.opener != nil {
		s.Flight++
	}
	return s
}
