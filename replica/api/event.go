package api

import "fmt"

// EventKind says what an Event tells.
type EventKind uint8

// The kinds of events on nodes (CHU §2.5).
const (
	// EventContents: the contents of the file were written.
	EventContents EventKind = 1 + iota
	// EventChildren: a child of the directory was added, removed or changed.
	EventChildren
	// EventInvalid: the node was deleted, so no handle on it is valid any more, and no lock of
	// it is held.
	EventInvalid
	// EventLockAcquired: the lock of the node was free and is held now.
	EventLockAcquired
	// EventLockWanted: another handle asks for the lock, in a mode that conflicts with the one
	// in which the receiver's session holds it.
	EventLockWanted
	// EventReadAgain: some events on the node were not kept. The receiver knows of no change of
	// it before this one for certain, and reads again what it needs.
	EventReadAgain
	// EventDrop: the client drops from its cache all that it has from the node at the path, or of
	// what is not there, or of its children's names, and all that depends on the ACL file there
	// (CHU §2.7). Only a change that has yet to be made waits for it, and its acknowledgement says
	// that it was done. It is for the cache of the session, not for handles. It names no instance.
	EventDrop
	// EventDropAll: the client drops all that is in its cache.
	EventDropAll
	// EventDropLocks: the client counts on no lock of the node any more, by whichever handle it holds
	// one: the node is about to be deleted, and what is made at its path next has a lock of its own.
	// Only that deletion waits for it, and its acknowledgement says that it was done.
	EventDropLocks

	eventKindEnd
)

// Valid reports whether k is a kind.
func (k EventKind) Valid() bool { return k >= EventContents && k < eventKindEnd }

// String names the kind as traces do.
func (k EventKind) String() string {
	if !k.Valid() {
		return fmt.Sprintf("event(%d)", uint8(k))
	}
	return [...]string{EventContents: "contents", EventChildren: "children", EventInvalid: "invalid",
		EventLockAcquired: "lock-acquired", EventLockWanted: "lock-wanted", EventReadAgain: "read-again",
		EventDrop: "drop", EventDropAll: "drop-all", EventDropLocks: "drop-locks"}[k]
}

// IsDrop reports whether k is for what a session keeps, its cache or its locks, and not for its handles.
func (k EventKind) IsDrop() bool { return k >= EventDrop && k < eventKindEnd }

// EventMask is a set of kinds of events: what a client wants to hear of a node that it opens.
// EventReadAgain stands in no mask: every handle that wants any event gets it. Nor do the drops,
// which are for no handle.
type EventMask uint8

// The elements of masks.
const (
	WantContents     EventMask = 1 << iota // EventContents
	WantChildren                           // EventChildren
	WantInvalid                            // EventInvalid
	WantLockAcquired                       // EventLockAcquired
	WantLockWanted                         // EventLockWanted
	// WantFailover: a fail-over of the cell is told as an event on the node, too. No event of
	// the master stands for it, since the client learns of it by Leased.Failover.
	WantFailover

	wantAll = 1<<6 - 1
)

// Valid reports whether m has known elements only. The empty mask is valid.
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

// Event tells a client of something that has happened to a node that it has open. It is told
// after the fact: a client that reads the node when it has the event finds what the event tells,
// or something newer (C9.04).
type Event struct {
	Kind EventKind
	Node Ref
	// Cause numbers the command of the log that the event follows from. The events of a session
	// ascend by it. Two events may have one cause. That of an EventLockWanted, an
	// EventReadAgain or a drop is the last command that the master had applied.
	Cause  Number
	Child  string // of EventChildren: its name
	Change Change // of EventChildren
	Mode   Mode   // of EventLockWanted: the one that is asked for
	// Acquisition names, of EventLockWanted, by which the session holds the lock: a session may
	// hold it by several handles, and may have released it since.
	Acquisition Acquisition
	Drop        DropNumber // of a drop: its number
}

// String prints the event as traces do.
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

// EventNumber numbers the events that one master tells one session, from 1. The numbers begin
// again with each epoch.
type EventNumber uint64

// DropNumber numbers the drops that one master tells one session, from 1, among themselves. The
// numbers begin again with each epoch.
type DropNumber uint64

// Bounds of the events in one answer to a KeepAlive. Others follow once these are acknowledged.
const (
	MaxEvents     = 1 << 8
	MaxEventBytes = 1 << 16 // of paths and names
)

// Size is what the event counts against MaxEventBytes.
func (e Event) Size() int { return len(e.Node.Path.String()) + len(e.Child) + 16 }
