package client

import (
	"errors"
	"fmt"
	"strings"

	"github.com/chubbycell/chubby/client/session"
	"github.com/chubbycell/chubby/replica/api"
)

// Every error of a call is an *Error, and says by errors.Is which of these it is.
// With ErrOutcomeUnknown the call may have been executed. With any other error it
// changed nothing that lasts, and never will: a lock may have been got and lost again
// before its holder could be told.
var (
	// ErrNotFound: there is no such row, or no such node.
	ErrNotFound = errors.New("not found")
	// ErrConflict: a CompareAndSet, SetContents or SetACL found something else than
	// expected; errors.As to *ConflictError tells what.
	ErrConflict = errors.New("conflict")
	// ErrOutcomeUnknown: the call was sent and its answer is missing; it may
	// have been executed, may yet be, or neither. It stands beside the reason:
	// the context's error, ErrSessionExpired or ErrClosed. A client that makes
	// one call at a time may make another one, a Get for instance: once that is
	// answered, what it found is final.
	ErrOutcomeUnknown = errors.New("outcome unknown")
	// ErrSessionExpired: the session is over, and with it handles, or calls of which
	// it is not known what became. All calls of the Client fail from now on; make a new
	// one, and look again at everything that the old one believed.
	ErrSessionExpired = errors.New("session expired")
	// ErrClosed: Close was called, of the Client or of the Handle.
	ErrClosed = errors.New("closed")
	// ErrTooLarge: a key or value exceeds its limit (api.MaxKey, api.MaxValue),
	// or the rows of a List do.
	ErrTooLarge = errors.New("too large")
	// ErrInvalid: the call, or the Client's Config, breaks a rule.
	ErrInvalid = errors.New("invalid")
	// ErrBusy: too many calls wait already (Config.Queue).
	ErrBusy = errors.New("too many calls waiting")
	// ErrJeopardy: the session may be gone, or not. It stands beside the context's
	// error where a call waited for that to be known, and is what a Lock says of
	// itself meanwhile.
	ErrJeopardy = errors.New("session in jeopardy")
)

// What is said about nodes, handles and locks.
var (
	// ErrExists: there is such a node already.
	ErrExists = errors.New("exists")
	// ErrPermission: the node's ACLs, or the rights that the handle was opened with,
	// do not allow it.
	ErrPermission = errors.New("permission denied")
	// ErrNotDirectory: a file was listed, or a node was to be made below it.
	ErrNotDirectory = errors.New("not a directory")
	// ErrIsDirectory: a directory has no contents.
	ErrIsDirectory = errors.New("is a directory")
	// ErrNotEmpty: the directory has children.
	ErrNotEmpty = errors.New("directory not empty")
	// ErrGone: the node that was opened has been deleted. There may be another one
	// with its name.
	ErrGone = errors.New("node deleted")
	// ErrQuota: the owner or the directory has as much as it may.
	ErrQuota = errors.New("quota exceeded")
	// ErrCrowded: the session or the cell has as many handles or waiting Acquires as
	// it may. Nothing was changed; but with ErrOutcomeUnknown, an Open may have made
	// the node before its master failed, and the next one has no room for the handle.
	ErrCrowded = errors.New("too many handles or waiters")
	// ErrBadHandle: the cell does not know the handle.
	ErrBadHandle = errors.New("bad handle")
	// ErrPoisoned: Poison was called.
	ErrPoisoned = errors.New("handle poisoned")
	// ErrLockHeld: somebody else holds the lock, or the handle does in the other mode.
	ErrLockHeld = errors.New("lock held")
	// ErrLockDelayed: a holder of the lock was lost, and its lock-delay runs.
	ErrLockDelayed = errors.New("lock delayed")
	// ErrNotHeld: the lock is not held, or was released; of an Acquire, it was lost again
	// before the answer came.
	ErrNotHeld = errors.New("lock not held")
	// ErrStaleSequencer: the sequencer is not valid any more.
	ErrStaleSequencer = errors.New("stale sequencer")
)

// Error is why a call failed. It unwraps to the sentinels and causes that it
// prints.
type Error struct {
	Op     string  // "put"
	Key    string  // of the row, or the name of the node; "" where there is none
	Causes []error // at least one, the most important one first
}

// Error prints the op, the key and the causes.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString("client: " + e.Op)
	if e.Key != "" {
		fmt.Fprintf(&b, " %q", e.Key)
	}
	for _, c := range e.Causes {
		b.WriteString(": " + c.Error())
	}
	return b.String()
}

// Unwrap gives errors.Is and errors.As all causes.
func (e *Error) Unwrap() []error { return e.Causes }

// ConflictError is what a CompareAndSet met, or a SetContents or SetACL.
type ConflictError struct {
	Found bool   // there is a row
	Value string // what it holds
	Stat  Stat   // of the node; its Kind is 0 where a row was meant
}

// Error says whether there was a row; a value may be long and is not printed.
func (e *ConflictError) Error() string {
	switch {
	case e.Stat.Kind != 0:
		return fmt.Sprintf("conflict: contents of generation %d, ACL names of %d", e.Stat.Content, e.Stat.ACL)
	case !e.Found:
		return "conflict: there is no row"
	}
	return fmt.Sprintf("conflict: the row holds another value (%d bytes)", len(e.Value))
}

// Is makes it an ErrConflict.
func (e *ConflictError) Is(target error) bool { return target == ErrConflict }

// fail is the error of a call that ended as d, nil if it succeeded. ended is why
// its context ended, if it did.
func fail(op, key string, d session.Done, ended []error) error {
	if causes := causes(d, ended); causes != nil {
		return &Error{Op: op, Key: key, Causes: causes}
	}
	return nil
}

func causes(d session.Done, ended []error) []error {
	if d.Outcome == session.Executed {
		return answer(d.Result)
	}
	var all []error
	if d.Outcome == session.Unknown {
		all = append(all, ErrOutcomeUnknown)
	}
	switch d.Why {
	case session.Cancelled:
		return append(all, ended...)
	case session.Closed:
		return append(all, ErrClosed)
	case session.Expired:
		return append(all, ErrSessionExpired)
	case session.Crowded:
		return append(all, ErrBusy)
	}
	return append(all, sentinel(d.Result.Code))
}

// answer is what an executed call's result is as an error.
func answer(r api.Result) []error {
	switch r.Code {
	case api.OK, 0: // 0: the end of a session, which needs no answer to have come about
		return nil
	case api.Conflict:
		return []error{&ConflictError{Found: r.Found, Value: r.Value, Stat: statOf(r)}}
	}
	return []error{sentinel(r.Code)}
}

// sentinel is the error that a code is.
func sentinel(c api.Code) error {
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
