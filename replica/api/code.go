package api

import "fmt"

// Code says what became of a request. The zero Code is not one of the codes and is never sent, so
// an unset code cannot pass for OK.
type Code uint8

// The codes. "This copy" is the sending of a request that is being answered. The client may have
// sent others with the same (Session, Seq), and the network may have duplicated any of them.
const (
	// OK: the request was executed, once, and this is its answer.
	// Execution: Executed.
	OK Code = 1 + iota

	// NotMaster: the replica is not the master, or it stopped being the master before the
	// result of the request was known. Reply.Master may name another replica. The request
	// may have been proposed and may yet be executed: send it again, with the same Seq, to
	// find out.
	// Execution: Unknown.
	NotMaster

	// Aborted: the copy met a later epoch than the one it was received in, because
	// mastership was lost, or lost and regained, in between (P5.01), and no copy
	// had been executed before that place in the log: nothing received before the
	// present epoch was or will be executed. A copy received in the present epoch,
	// or later, may be.
	// Execution: NotThisCopy.
	Aborted

	// Busy: the master has too much work and dropped this copy before proposing it.
	// Execution: NotThisCopy.
	Busy

	// NoSession: the session does not exist; it was ended or has expired. This
	// copy was not executed, and no copy will be from now on, since ids do not
	// come again; but an earlier copy may have been executed while the session
	// lived, and its stored answer went with the session.
	// Execution: NotThisCopy.
	NoSession

	// Conflict: a CompareAndSet was executed and found another value, or a row where it expected
	// none, or none; Found and Value describe the row. Or a write that names a generation of its
	// node found another one. Nothing was changed.
	// Execution: Executed.
	Conflict

	// NotFound: a Get or a Delete was executed and found no row, or a path was looked up and has no
	// node. Nothing was changed.
	// Execution: Executed.
	NotFound

	// Invalid: no replica in any state executes this request: an empty key, a
	// zero nonce, a Seq that is not above AckedThrough or too far ahead of it.
	// Execution: Never.
	Invalid

	// TooLarge: no replica executes this request, because a key or value exceeds its limit; or a
	// List, which changes nothing, found more than an answer may hold.
	// Execution: Never.
	TooLarge

	// Stale: AckedThrough of another request covers this Seq: the client has the answer or
	// has given the call up, and the answer was dropped. This copy was not executed, and no
	// copy will be from now on.
	// Execution: NotThisCopy.
	Stale

	// Exists: the op should create a node that exists already. Nothing was changed.
	// Execution: Executed.
	Exists

	// NotDirectory: the op should list a file, or create a node below it. Nothing was changed.
	// Execution: Executed.
	NotDirectory

	// IsDirectory: the op should read or write the contents of a directory. Nothing was changed.
	// Execution: Executed.
	IsDirectory

	// NotEmpty: the op should delete a directory with children. Nothing was changed.
	// Execution: Executed.
	NotEmpty

	// Gone: the node, this instance of its path, has been deleted. A later node at the same
	// path is another node. Nothing was changed.
	// Execution: Executed.
	Gone

	// Quota: the owner, or the directory, would exceed its limit of nodes or bytes. Nothing was
	// changed.
	// Execution: Executed.
	Quota

	// Permission: the ACL for this op does not list the principal. Nothing was changed.
	// Execution: Executed.
	Permission

	// LockHeld: another handle holds the lock in a conflicting mode. Nothing was changed.
	// Execution: Executed.
	LockHeld

	// LockDelayed: a holder of the lock failed, and its lock-delay is not over.
	// Nothing was changed.
	// Execution: Executed.
	LockDelayed

	// LockOther: the handle holds the lock in the other mode, or holds another lock: it must
	// release that lock first. Nothing was changed.
	// Execution: Executed.
	LockOther

	// NotHeld: the handle does not hold the lock, or not by the given acquisition. Nothing was
	// changed.
	// Execution: Executed.
	NotHeld

	// OldEpoch: the request names an older epoch than the present one, which is in
	// Reply.Epoch. A packet to a former master is not executed by a later one (CHU §2.9).
	// Execution: NotThisCopy.
	OldEpoch

	// Recovering: the master is new and takes KeepAlives only, until each session
	// knows that there was a fail-over.
	// Execution: NotThisCopy.
	Recovering

	// Parked: the Acquire waits at the master for its lock. The client need not resend it soon: the
	// answer comes when there is one, and a new master makes the client resend.
	// Execution: NotThisCopy.
	Parked

	// BadHandle: the token does not belong to a handle of this session: it is truncated, forged, or
	// of another session.
	// Execution: Never.
	BadHandle

	// HandleClosed: the handle was closed. Nothing was changed.
	// Execution: Executed.
	HandleClosed

	// HandlePoisoned: the handle was poisoned. Nothing was changed.
	// Execution: Executed.
	HandlePoisoned

	// NoRight: the handle was opened without the right that the call needs.
	// Nothing was changed.
	// Execution: Executed.
	NoRight

	// StaleSequencer: the sequencer in question, or the one attached to the handle, is no longer
	// valid. Nothing was changed.
	// Execution: Executed.
	StaleSequencer

	// Cancelled: the Acquire was cancelled before it was granted, and never will
	// be granted.
	// Execution: Executed.
	Cancelled

	// Crowded: the session, or the master, has reached its limit of open handles or waiting
	// Acquires. Nothing was changed.
	// Execution: Executed.
	Crowded

	// Later: like Busy, from a replica that was certainly the master when it answered: too many
	// commands of this principal, or of all principals together, wait for the log. Asking another
	// replica does not help.
	// Execution: NotThisCopy.
	Later

	// NoHandle: a copy of the Open was executed in an earlier epoch, whose handles are
	// gone, and there is no room for another handle. A later copy may get one; the client
	// need not send it.
	// Execution: NotThisCopy.
	NoHandle

	codeEnd
)

// Execution says what a code implies about the execution of a request.
type Execution uint8

const (
	// Unknown: the request may have been executed, may be executed later, or neither.
	Unknown Execution = iota
	// NotThisCopy: the copy that is being answered was not executed and will not be. Other copies
	// of the same request may have been executed, or may be later, so the *call* is undecided.
	// Sending it again with the same Seq is safe: a copy that was executed has left its answer.
	NotThisCopy
	// Executed: exactly one copy was executed, and this is its answer.
	Executed
	// Never: no copy was or will be executed.
	Never
)

// Execution returns what c implies about the execution of the request that it answers.
func (c Code) Execution() Execution {
	switch c {
	case OK, Conflict, NotFound, Exists, NotDirectory, IsDirectory, NotEmpty, Gone, Quota, Permission,
		LockHeld, LockDelayed, LockOther, NotHeld,
		HandleClosed, HandlePoisoned, NoRight, StaleSequencer, Cancelled, Crowded:
		return Executed
	case Invalid, TooLarge, BadHandle:
		return Never
	case Aborted, Busy, NoSession, Stale, OldEpoch, Recovering, Parked, Later, NoHandle:
		return NotThisCopy
	default:
		return Unknown
	}
}

// IsDefinite reports whether c decides the call: its outcome is known and will not change, whatever
// copies of the request are still under way.
func (c Code) IsDefinite() bool {
	e := c.Execution()
	return e == Executed || e == Never
}

// Valid reports whether c is one of the codes above.
func (c Code) Valid() bool { return OK <= c && c < codeEnd }

// String returns the code as traces and reports print it.
func (c Code) String() string {
	if !c.Valid() {
		return fmt.Sprintf("code(%d)", uint8(c))
	}
	return [...]string{
		OK: "ok", NotMaster: "not-master", Aborted: "aborted", Busy: "busy",
		NoSession: "no-session", Conflict: "conflict", NotFound: "not-found",
		Invalid: "invalid", TooLarge: "too-large", Stale: "stale",
		Exists: "exists", NotDirectory: "not-directory", IsDirectory: "is-directory", NotEmpty: "not-empty",
		Gone: "gone", Quota: "quota", Permission: "permission",
		LockHeld: "lock-held", LockDelayed: "lock-delayed", LockOther: "lock-other", NotHeld: "not-held",
		OldEpoch: "old-epoch", Recovering: "recovering", Parked: "parked",
		BadHandle: "bad-handle", HandleClosed: "handle-closed", HandlePoisoned: "handle-poisoned", NoRight: "no-right",
		StaleSequencer: "stale-sequencer", Cancelled: "cancelled", Crowded: "crowded", Later: "later",
		NoHandle: "no-handle",
	}[c]
}
