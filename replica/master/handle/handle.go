package handle

import (
	"fmt"

	"github.com/chubbycell/chubby/replica/api"
)

// Handle is the content of a token: which session has which node open, and for what use. Only Fence
// and Tie change after the node was opened.
type Handle struct {
	ID        api.HandleID
	Session   api.SessionID
	Node      api.Ref
	Kind      api.NodeKind
	Ephemeral bool // the node lives as long as a session has it open
	Rights    api.Rights
	Delay     api.LockDelay // the lock-delay of locks acquired by this handle, if its session fails
	// Fence is the sequencer that is attached to the handle: calls by the handle fail once Fence
	// is no longer valid. The zero Sequencer is none.
	Fence api.Sequencer
	Tie   Tie // orders Fence among other sequencers of the handle
	// Events are the kinds of events of the node that the client wants.
	Events api.EventMask
}

// Valid reports whether h could be the handle of a session.
func (h Handle) Valid() bool {
	return h.ID.Epoch != 0 && h.ID.Counter != 0 && h.Session != 0 && h.Node.Instance != 0 &&
		(h.Kind == api.File || h.Kind == api.Directory) && h.Rights.Valid() && h.Events.Valid() && h.Delay <= api.MaxLockDelay &&
		h.Tie.isValid() && (h.Fence.Valid() || h.Fence == api.Sequencer{} && h.Tie == Tie{})
}

// String prints the handle as traces do.
func (h Handle) String() string {
	return fmt.Sprintf("%v of session %d on %v (%v)", h.ID, h.Session, h.Node, h.Rights)
}

// Verdict is what a table says about a token. The zero Verdict is none of them.
type Verdict uint8

// The verdicts. The package comment has the order in which they are tested.
const (
	// Good: the handle is open and may be used.
	Good Verdict = 1 + iota
	// Malformed: the bytes are no token: cut short, damaged or of another version.
	Malformed
	// Forged: the bytes have the form of a token, but no master of this cell made it.
	Forged
	// Foreign: the token belongs to another session.
	Foreign
	// Future: a master of a later epoch made the token, so this replica is no longer the master.
	Future
	// Closed: the handle was closed.
	Closed
	// Old: a master of an older epoch gave the handle out, and this one has not seen it yet.
	// Recreate opens it again.
	Old
	// Poisoned: the handle is open, but calls by it fail, except CloseHandle, Poison and CancelAcquire.
	Poisoned
	// Full: the session, or the master, has as many open handles as it may have.
	Full
	// GivenUp: the client has acknowledged this Open, so it does not wait for a handle, and none
	// was given out.
	GivenUp

	verdictEnd
)

// String prints the verdict as traces do.
func (v Verdict) String() string {
	if v < Good || v >= verdictEnd {
		return fmt.Sprintf("verdict(%d)", uint8(v))
	}
	return [...]string{Good: "good", Malformed: "malformed", Forged: "forged", Foreign: "foreign", Future: "future",
		Closed: "closed", Old: "old", Poisoned: "poisoned", Full: "full", GivenUp: "given-up"}[v]
}
