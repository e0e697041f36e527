package session

import "github.com/chubbycell/chubby/replica/api"

// Event reports a change of the session that no call caused.
type Event struct {
	Kind  EventKind
	Epoch api.Epoch // of an EventFailover: the epoch of the new master
	Node  api.Event // of an EventNode: what happened to which node; of an EventDrop: what to drop
}

// EventKind is the kind of an Event.
type EventKind uint8

const (
	// EventJeopardy: the lease may be over. Calls wait, and the client must not act on what it
	// holds, until EventSafe or EventExpired (C11.20).
	EventJeopardy EventKind = 1 + iota
	// EventSafe: jeopardy has ended, and nothing was lost.
	EventSafe
	// EventExpired: the session is gone, or must be assumed to be. It is the last event.
	EventExpired
	// EventFailover: there is a new master, and events of the last one may have been lost
	// (C9.06).
	EventFailover
	// EventPresented: the new master knows what the client watches. All events on nodes that
	// happened before may have been lost, so the caller should read again what it watches.
	EventPresented
	// EventNode: something happened to a node that the client watches (CHU §2.5).
	EventNode
	// EventDrop: the caller must drop cached answers, as Node says, before it sends what was output
	// with this event: that sending acknowledges the drop to the master.
	EventDrop
)

// String prints the kind as in traces.
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
	case EventPresented:
		return "presented"
	case EventNode:
		return "node"
	case EventDrop:
		return "drop"
	}
	return "no event"
}

// emitEvent outputs an event, unless the caller has closed the session.
func (m *Machine) emitEvent(e Event) {
	if m.state == Opening || m.state == Open {
		m.out.Events = append(m.out.Events, e)
	}
}
