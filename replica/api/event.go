package api

import "fmt"

// EventKind says what an Event reports.
type EventKind uint8

// The kinds of events on nodes (CHU §2.5).
const (
	// EventContents: the contents of the file were written.
	EventContents EventKind = 1 + iota
	// EventChildren: a child of the directory was added, removed or changed.
	EventChildren
	// EventInvalid: the node was deleted, so no handle on it is valid any longer, and no lock of it
	// is held.
	EventInvalid
	// EventLockAcquired: the lock of the node was free and is held now.
	EventLockAcquired
	// EventLockWanted: another handle asks for the lock, in a mode that conflicts with the one
	// in which the receiver's session holds it.
	EventLockWanted
	// EventReadAgain: some events on the node were not kept. The receiver may have missed any
	// change of the node before this event, and must read again what it needs.
	EventReadAgain
	// EventDrop: the client must drop from its cache everything that it has from the node at the
	// path: its data, its absence, its children's names, and everything that depends on the ACL
	// file there (CHU §2.7). Only a pending change waits for the drop, and the acknowledgement says
	// that the client has done it. The event is for the cache of the session, not for handles. It
	// names no instance.
	EventDrop
	// EventDropAll: the client must drop its whole cache.
	EventDropAll
	// EventDropLocks: the client must no longer rely on any lock of the node, whichever handle
	// holds it. The node is about to be deleted, and a later node at its path has a lock of its
	// own. Only that deletion waits for the event, and the acknowledgement says that the client has
	// done it.
	EventDropLocks

	eventKindEnd
)

// Valid reports whether k is a kind.
func (k EventKind) Valid() bool { return k >= EventContents && k < eventKindEnd }

// String returns the name of the kind as in traces.
func (k EventKind) String() string {
	if !k.Valid() {
		return fmt.Sprintf("event(%d)", uint8(k))
	}
	return [...]string{EventContents: "contents", EventChildren: "children", EventInvalid: "invalid",
		EventLockAcquired: "lock-acquired", EventLockWanted: "lock-wanted", EventReadAgain: "read-again",
		EventDrop: "drop", EventDropAll: "drop-all", EventDropLocks: "drop-locks"}[k]
}

// IsDrop reports whether k is for the cache or the locks of a session, and not for its handles.
func (k EventKind) IsDrop() bool { return k >= EventDrop && k < eventKindEnd }

// EventMask is a set of kinds of events: the kinds that a client requests for a node that it opens.
// No mask contains EventReadAgain: every handle that requests any event gets it. No mask contains
// the drops either, which are for no handle.
type EventMask uint8

// The elements of masks.
const (
	WantContents     EventMask = 1 << iota // EventContents
	WantChildren                           // EventChildren
	WantInvalid                            // EventInvalid
	WantLockAcquired                       // EventLockAcquired
	WantLockWanted                         // EventLockWanted
	// WantFailover: the client reports a fail-over of the cell as an event on the node, too. The
	// master sends no event for it, since the client learns of it by Leased.Failover.
	WantFailover

	wantAll = 1<<6 - 1
)

// Valid reports whether m has only known elements. The empty mask is valid.
func (m EventMask) Valid() bool { return m&^wantAll == 0 }

// Has reports whether the mask asks for events of this kind. A mask that is not empty asks for
// EventReadAgain.
func (m EventMask) Has(k EventKind) bool {
	if k == EventReadAgain {
		return m != 0
	}
	return k.Valid() && !k.IsDrop() && m&(1<<(k-EventContents)) != 0
}

// Change is what was done to a child of a directory.
type Change uint8

// The changes.
const (
	ChildAdded   Change = 1 + iota
	ChildChanged        // its contents or its ACL names were written
	ChildRemoved
)

// Valid reports whether c is a change.
func (c Change) Valid() bool { return c >= ChildAdded && c <= ChildRemoved }

// String names the change.
func (c Change) String() string {
	if !c.Valid() {
		return fmt.Sprintf("change(%d)", uint8(c))
	}
	return [...]string{ChildAdded: "added", ChildChanged: "changed", ChildRemoved: "removed"}[c]
}

// Event tells a client that something has happened to a node that it has open. It comes after the
// change: a client that then reads the node finds what the event reports, or something newer
// (C9.04).
type Event struct {
	Kind EventKind
	Node Ref
	// Cause numbers the command of the log that caused the event. The events of a session are in
	// ascending order of Cause; two events may have the same. The Cause of an EventLockWanted, an
	// EventReadAgain or a drop is the last command that the master had applied.
	Cause  Number
	Child  string // of EventChildren: its name
	Change Change // of EventChildren
	Mode   Mode   // of EventLockWanted: the requested mode
	// Acquisition is set for an EventLockWanted. It says by which acquisition the session holds the
	// lock: the session may hold the lock by several handles, and may have released it since.
	Acquisition Acquisition
	Drop        DropNumber // of a drop: its number
}

// String returns the event as in traces.
func (e Event) String() string {
	switch e.Kind {
	case EventChildren:
		return fmt.Sprintf("%v of %v: %s %v", e.Kind, e.Node, e.Child, e.Change)
	case EventLockWanted:
		return fmt.Sprintf("%v of %v: %v", e.Kind, e.Node, e.Mode)
	case EventDrop:
		return fmt.Sprintf("%v %d of %v", e.Kind, e.Drop, e.Node.Path)
	case EventDropAll:
		return fmt.Sprintf("%v %d", e.Kind, e.Drop)
	case EventDropLocks:
		return fmt.Sprintf("%v %d of %v", e.Kind, e.Drop, e.Node)
	}
	return fmt.Sprintf("%v of %v", e.Kind, e.Node)
}

// EventNumber numbers the events from one master to one session, from 1. The numbers start again
// with each epoch.
type EventNumber uint64

// DropNumber numbers the drops from one master to one session, from 1, separately. The numbers
// start again with each epoch.
type DropNumber uint64

// Bounds of the events in one answer to a KeepAlive. Further events follow once these are
// acknowledged.
const (
	MaxEvents     = 1 << 8
	MaxEventBytes = 1 << 16 // of paths and names
)

// Size returns what the event counts towards MaxEventBytes.
func (e Event) Size() int { return len(e.Node.Path.String()) + len(e.Child) + 16 }
