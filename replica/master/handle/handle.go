package handle

import (
	"fmt"

	"github.com/chubbycell/chubby/replica/api"
)

// Handle is all that stands in a token: which session has which node open, and for what. It is
// fixed when the node is opened, but for Fence and Tie.
type Handle struct {
	ID        api.HandleID
	Session   api.SessionID
	Node      api.Ref
	Kind      api.NodeKind
	Ephemeral bool // the node lives as long as a session has it open
	Rights    api.Rights
	Delay     api.LockDelay // of locks acquired through it, if the client fails
	// Fence is a sequencer that was attached to the handle: its calls fail once that
	// is not valid any more. The zero Sequencer is none.
	Fence api.Sequencer
	Tie   Tie // when Fence was attached
	// Events are what the client wants to hear of the node.
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
	// Malformed: the bytes are no token: cut short, damaged, of another version.
	Malformed
	// Forged: the bytes have the form of a token, but no master of this cell made
	// it.
	Forged
	// Foreign: it belongs to another session.
	Foreign
	// Future: a master of a later epoch gave it out, so this one is none any more.
	Future
	// Closed: the handle was closed.
	Closed
	// Old: a predecessor gave it out, and it was not presented to this master
	// before. Recreate makes it again, once the rights are checked.
	Old
	// Poisoned: the handle is open, and everything but Close fails.
	Poisoned
	// Full: no more handles; the session, or the master, has as many as it may.
	Full
	// GivenUp: the client has said that it has the answer to this Open, or has given
	// the call up; so no client waits for the handle, and there is none.
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
