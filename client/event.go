package client

import (
	"github.com/chubbycell/chubby/client/session"
	"github.com/chubbycell/chubby/replica/api"
)

// Event reports something that no call of this program caused: a change of a session
// (Client.Events), or of a node (Handle.Events).
type Event struct {
	Kind EventKind
	// Missed is the number of events before this one that were left out, because the program did
	// not take them in time. Their information is not lost: later events repeat it, or
	// EventReadAgain replaces them.
	Missed int

	Cell  string    // of an event of a session: the cell's name as given to WithName, WithCell or WithCells, or "local"
	Epoch api.Epoch // of an EventFailover: the epoch of the new master
	// Renewable is set on an EventExpired that lost nothing: the session had no open handle and no
	// call of unknown outcome, and the next call opens another session. A Client that was idle gets
	// such an event. If Renewable is false, the Client makes no more calls to this cell: make a new
	// Client.
	Renewable bool

	Node string // of an event of a handle: the name under which the node was opened
	// Cause numbers the command in the cell's log that changed the node. Later changes have larger
	// numbers, across all nodes. 0: no command caused the event. The Client itself found out, or
	// another handle asks for the lock.
	Cause  uint64
	Child  string // of an EventChildren: the name of the child
	Change Change // of an EventChildren: what was done to the child
	Mode   Mode   // of an EventLockWanted: the mode in which the lock is asked for
}

// EventKind is the kind of an Event.
type EventKind uint8

// The kinds of events of sessions (C9.03, C9.06).
const (
	// EventJeopardy: the session's lease may be over. Calls wait, and Lock.Held returns false,
	// until EventSafe or EventExpired. Stop acting on locks.
	EventJeopardy EventKind = 1 + iota
	// EventSafe: jeopardy has ended and the session is alive. All handles and locks are as
	// before.
	EventSafe
	// EventExpired: the session is over, and so are all its handles and locks.
	EventExpired
	// EventFailover: the cell has a new master. Handles and locks remain valid.
	EventFailover
)

// The kinds of events of handles (C9.02). Each handle gets the kinds set in OpenOptions.Events,
// after the change: a read of the node finds what the event reports, or something newer. A handle
// that asks for WantFailover gets EventFailover as well. If the program is slow, EventReadAgain may
// stand for any of them, except the last EventFailover and EventInvalid.
const (
	// EventContents: the contents of the file were written.
	EventContents EventKind = 16 + iota
	// EventChildren: a child of the directory was added, removed or changed (Child, Change).
	EventChildren
	// EventInvalid: the handle is no longer valid, and its lock is not held: the node was
	// deleted, or the session has expired. It is the last event of the handle.
	EventInvalid
	// EventLockAcquired: the lock of the node was free, and a handle has acquired it.
	EventLockAcquired
	// EventLockWanted: this handle holds the lock, and another one asks for it in a conflicting
	// mode (Mode).
	EventLockWanted
	// EventReadAgain: the node may have changed without another event, because the cell has a new
	// master or the program was slow. Read again what you use of the node. A handle gets this event
	// if it asks for any kind other than WantFailover.
	EventReadAgain
)

// String names the kind as in traces.
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
	case EventContents, EventChildren, EventInvalid, EventLockAcquired, EventLockWanted, EventReadAgain:
		return api.EventKind(k - EventContents + EventKind(api.EventContents)).String()
	}
	return "no event"
}

// sessionKind returns the kind of an event of a session; 0: it is not one.
func sessionKind(k session.EventKind) EventKind {
	switch k {
	case session.EventJeopardy:
		return EventJeopardy
	case session.EventSafe:
		return EventSafe
	case session.EventExpired:
		return EventExpired
	case session.EventFailover:
		return EventFailover
	}
	return 0
}

// nodeEvent returns the Event for a handle with this name.
func nodeEvent(name string, e api.Event) Event {
	told := Event{
		Kind: EventContents + EventKind(e.Kind-api.EventContents), Node: name, Cause: uint64(e.Cause),
		Child: e.Child, Change: e.Change, Mode: e.Mode,
	}
	if told.Kind == EventLockWanted {
		told.Cause = 0 // no change: it may have waited for the answer to the Acquire, behind later changes
	}
	return told
}
