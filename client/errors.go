package client

import (
	"errors"
	"fmt"
	"strings"

	"github.com/chubbycell/chubby/client/session"
	"github.com/chubbycell/chubby/replica/api"
)

// Every failed call returns an *Error; errors.Is tells which of these errors it is. With
// ErrOutcomeUnknown the call may have been executed. With any other error it has had no lasting
// effect, and never will; an Acquire may, however, have got the lock and lost it again before it
// could return.
var (
	// ErrNotFound: the row or the node does not exist.
	ErrNotFound = errors.New("not found")
	// ErrConflict: a CompareAndSet, SetContents or SetACL found another state than it required.
	// The error is a *ConflictError (errors.As) with the present state: decide again from that.
	ErrConflict = errors.New("conflict")
	// ErrOutcomeUnknown: the call was sent and its answer is missing. The cell may have executed
	// it, may execute it later, or may never execute it. The error is also the reason: the
	// context's error, ErrSessionExpired or ErrClosed. Read the state before writing again. If this
	// Client has no other call under way (calls of other goroutines count), the first later call
	// that the cell answers, for instance a Get, settles the outcome: the state that it finds is
	// final. A read, such as Get or Contents, has nothing to settle: call it again. Repeating a
	// CompareAndSet does not settle the first one by its ErrConflict: another client may have
	// written. Only a value that no other call writes tells the two apart.
	ErrOutcomeUnknown = errors.New("outcome unknown")
	// ErrWithdrawn: an Acquire or TryAcquire was sent, and ended before its answer came. The error
	// is also the reason: the context's error, ErrClosed, ErrPoisoned or ErrSessionExpired. This
	// call does not hold the lock, and never will: the Client makes the cell take the request back.
	// There is nothing to read or to settle. Until the cell learns of this, or has ended the
	// session, it may grant the lock to the request, and other clients cannot acquire the lock
	// meanwhile.
	ErrWithdrawn = errors.New("withdrawn")
	// ErrSessionExpired: the session is over, and its locks and handles are lost. If the error is
	// not ErrOutcomeUnknown as well, this call was not executed. The Client makes no more calls to
	// this cell, unless nothing was lost (see Sessions in the package documentation). Make a new
	// Client, and read again everything that depended on the old session.
	ErrSessionExpired = errors.New("session expired")
	// ErrClosed: the Client or the Handle was closed by this program.
	ErrClosed = errors.New("closed")
	// ErrTooLarge: a key (1 KiB), a value or the contents of a file (256 KiB) exceed their limit and
	// nothing was sent, or the rows of a List exceed theirs and the List returned no rows.
	ErrTooLarge = errors.New("too large")
	// ErrInvalid: the arguments, or the Config of the Client, break a rule. Retrying is useless.
	ErrInvalid = errors.New("invalid")
	// ErrBusy: Config.Queue calls of this Client (1,024 by default) wait already, besides those
	// under way, which Config.Window bounds. An Acquire that waits for its lock is under way. The
	// text has the number. Nothing was sent; retry when some calls have ended.
	ErrBusy = errors.New("too many calls waiting")
	// ErrTooManySessions: Dial could not open a session, because the cell has as many sessions as
	// its limit allows; the error has both numbers. A later call may need a new session, because an
	// idle one has ended without a loss: such a call waits for room until its context ends, and
	// does not have this error. Retry when clients have ended, or raise the limit.
	ErrTooManySessions = errors.New("too many sessions")
	// ErrJeopardy: the session's lease may be over, and the Client has not reached the master. A
	// call whose context ended while it waited for the master has this error as well as the
	// context's. Lock.Err returns it during jeopardy. Stop acting on locks until EventSafe.
	ErrJeopardy = errors.New("session in jeopardy")
	// ErrNoLeases: the cell gives no session leases, so no events reach its clients. Read again at
	// intervals, or configure leases (LeaseMin) in the cell.
	ErrNoLeases = errors.New("the cell gives no session leases, and so no events")
)

// Errors of calls on nodes, handles and locks.
var (
	// ErrExists: the node exists already.
	ErrExists = errors.New("exists")
	// ErrPermission: the ACLs of the node, or the rights that the handle was opened with, do
	// not allow the call. The text says which.
	ErrPermission = errors.New("permission denied")
	// ErrNotDirectory: the node is a file, but the call lists it, creates a node below it, or opens
	// it with OpenOptions.Directory and CreateMay.
	ErrNotDirectory = errors.New("not a directory")
	// ErrIsDirectory: the node is a directory, which has no contents, but the call reads or writes
	// contents, or opens it with OpenOptions.Contents and CreateMay.
	ErrIsDirectory = errors.New("is a directory")
	// ErrNotEmpty: the directory has children. Delete them first.
	ErrNotEmpty = errors.New("directory not empty")
	// ErrGone: the node of this handle was deleted. For a Lock, the node may also be about to be
	// deleted. A new node may have the same name: close the handle and open the name again.
	ErrGone = errors.New("node deleted")
	// ErrQuota: the owner or the directory has reached its quota.
	ErrQuota = errors.New("quota exceeded")
	// ErrCrowded: the session or the cell has reached its limit of open handles or waiting
	// Acquires: 4,096 open handles of a session, including those that the Client keeps for the next
	// Open, and 16,384 waiting Acquires of a lock. Close each handle after use, or retry later.
	// Nothing was changed, unless the error is also ErrOutcomeUnknown: then an Open may have
	// created the node under the last master, and the present master has no room for its handle.
	ErrCrowded = errors.New("too many handles or waiters")
	// ErrBadHandle: the cell does not know the handle. Open the node again.
	ErrBadHandle = errors.New("bad handle")
	// ErrPoisoned: Poison was called on the handle. Close it.
	ErrPoisoned = errors.New("handle poisoned")
	// ErrLockHeld: another handle holds the lock in a conflicting mode, or this handle holds it or
	// is acquiring it.
	ErrLockHeld = errors.New("lock held")
	// ErrLockDelayed: a holder of the lock was lost, and its lock-delay runs. Retry later, or
	// use Acquire.
	ErrLockDelayed = errors.New("lock delayed")
	// ErrNotHeld: the lock is not held, or was released. An Acquire that fails with it lost the
	// lock again before it returned: acquire again.
	ErrNotHeld = errors.New("lock not held")
	// ErrStaleSequencer: the lock is no longer held as the sequencer says. Reject the request that
	// carried it.
	ErrStaleSequencer = errors.New("stale sequencer")
)

// Error is the error of a call. It unwraps to all of its Causes.
type Error struct {
	Op     string  // the call, such as "put"
	Key    string  // the key of the row or the name of the node; "" if there is none
	Causes []error // at least one, the most important first
}

// Error shortens a key longer than maxKeyShown to its first keyStart bytes. No cell has such a key.
const (
	maxKeyShown = api.MaxPath + api.MaxComponent
	keyStart    = 64
)

// Error prints the call, the key and the causes.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString("client: " + e.Op)
	switch {
	case len(e.Key) > maxKeyShown:
		fmt.Fprintf(&b, " %q... of %d bytes", e.Key[:keyStart], len(e.Key))
	case e.Key != "":
		fmt.Fprintf(&b, " %q", e.Key)
	}
	for _, c := range e.Causes {
		b.WriteString(": " + c.Error())
	}
	return b.String()
}

// Unwrap returns all causes, for errors.Is and errors.As.
func (e *Error) Unwrap() []error { return e.Causes }

// ConflictError holds the state that a CompareAndSet, SetContents or SetACL found. It is an
// ErrConflict.
type ConflictError struct {
	Found bool   // the row exists
	Value string // the value of the row
	Stat  Stat   // the metadata of the node; its Kind is 0 if the call was on a row
}

// Error describes the state, without the value, which may be long.
func (e *ConflictError) Error() string {
	switch {
	case e.Stat.Kind != 0:
		return fmt.Sprintf("conflict: contents of generation %d, ACL names of %d", e.Stat.Content, e.Stat.ACL)
	case !e.Found:
		return "conflict: the row does not exist"
	}
	return fmt.Sprintf("conflict: the row holds another value (%d bytes)", len(e.Value))
}

// Is reports that the error is an ErrConflict.
func (e *ConflictError) Is(target error) bool { return target == ErrConflict }

// callError returns the error of a call that ended as d; nil: it succeeded. ended holds the causes
// if the call's context ended, or the reason why the call was refused.
func callError(op, key string, d session.Done, ended []error) error {
	if causes := causesOf(d, ended, isRead[op]); causes != nil {
		return &Error{Op: op, Key: key, Causes: causes}
	}
	return nil
}

// isRead lists the calls that change nothing.
var isRead = map[string]bool{
	"get": true, "list": true, "contents": true, "stat": true, "names": true, "read-dir": true,
	"check-sequencer": true, "get-sequencer": true,
}

// errReadUnknown is the ErrOutcomeUnknown of a read.
var errReadUnknown = fmt.Errorf("%w of a read, which changes nothing", ErrOutcomeUnknown)

func causesOf(d session.Done, ended []error, reads bool) []error {
	if d.Outcome == session.Executed {
		if all := resultCauses(d.Result); all != nil {
			return append(all, ended...)
		}
		return nil
	}
	var all []error
	switch {
	case d.Outcome == session.Unknown && reads:
		all = append(all, errReadUnknown)
	case d.Outcome == session.Unknown:
		all = append(all, ErrOutcomeUnknown)
	}
	switch d.Why {
	case session.Cancelled:
		return append(all, ended...)
	case session.Closed:
		return append(all, ErrClosed)
	case session.Expired:
		return append(all, ErrSessionExpired)
	case session.QueueFull:
		return append(append(all, ErrBusy), ended...)
	case session.Checked:
		return append(append(all, sentinelOf(d.Result.Code)), ended...)
	}
	return append(all, sentinelOf(d.Result.Code))
}

// resultCauses returns the causes in the result of an executed call.
func resultCauses(r api.Result) []error {
	switch r.Code {
	case api.OK, 0: // 0: a Close that ended without an answer
		return nil
	case api.Conflict:
		return []error{&ConflictError{Found: r.Found, Value: r.Value, Stat: statOf(r)}}
	}
	return []error{sentinelOf(r.Code)}
}

// sentinelOf returns the error for a code of the cell.
func sentinelOf(c api.Code) error {
	if err := sentinels[c]; err != nil {
		return err
	}
	return fmt.Errorf("refused: %v", c)
}

var sentinels = map[api.Code]error{
	api.NotFound: ErrNotFound, api.TooLarge: ErrTooLarge, api.Invalid: ErrInvalid,
	api.Exists: ErrExists, api.NotDirectory: ErrNotDirectory, api.IsDirectory: ErrIsDirectory,
	api.NotEmpty: ErrNotEmpty, api.Gone: ErrGone, api.Quota: ErrQuota, api.Permission: ErrPermission,
	api.LockHeld: ErrLockHeld, api.LockDelayed: ErrLockDelayed, api.LockOther: ErrLockHeld, api.NotHeld: ErrNotHeld,
	api.BadHandle: ErrBadHandle, api.HandleClosed: ErrClosed, api.HandlePoisoned: ErrPoisoned,
	api.NoRight: ErrPermission, api.StaleSequencer: ErrStaleSequencer, api.Crowded: ErrCrowded,
	api.NoHandle: ErrCrowded,
}
