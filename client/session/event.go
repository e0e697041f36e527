package session

import "github.com/chubbycell/chubby/replica/api"

// Event is what happens to a session beside its calls.
type Event struct {
	Kind  EventKind
	Epoch api.Epoch // of an EventFailover: of the new master
}

// EventKind says what happened.
type EventKind uint8

const (
	// EventJeopardy: the lease may be over. Calls wait, and what the client holds
	// must not be acted upon, until EventSafe or EventExpired (C11.20).
	EventJeopardy EventKind = 1 + iota
	// EventSafe: the lease was not over after all. Nothing was lost.
	EventSafe
	// EventExpired: the session is gone, or has to be taken for gone. It is the last
	// event.
	EventExpired
	// EventFailover: there is a new master, and events may have been lost (C9.06).
	EventFailover
)

// String prints the kind as traces do.
func (k EventKind) String() string {
	switch k {
	case EventJeopardy:
		return "jeopardy"
	case EventSafe:
		return "safe"
	case EventExpired:
		return "expired"
	case EventFailover:
		return "failover"
	}
	return "no event"
}

// tell puts an event out, unless the caller has closed the session.
func (m *Machine) tell(e Event) {
	if m.state == Opening || m.state == Open {
		m.out.Events = append(m.out.Events, e)
	}
}
