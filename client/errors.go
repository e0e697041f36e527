package client

import (
	"errors"
	"fmt"
	"strings"

	"github.com/chubbycell/chubby/client/session"
	"github.com/chubbycell/chubby/replica/api"
)

// Every error of a call is an *Error, and says by errors.Is which of these it
// is. ErrNotFound and ErrConflict are answers: the call was executed. With
// ErrOutcomeUnknown it may have been. With any other error it was not, and never
// will be.
var (
	// ErrNotFound: there is no such row.
	ErrNotFound = errors.New("not found")
	// ErrConflict: a CompareAndSet found something else than expected; errors.As
	// to *ConflictError tells what.
	ErrConflict = errors.New("conflict")
	// ErrOutcomeUnknown: the call was sent and its answer is missing; it may
	// have been executed, may yet be, or neither. It stands beside the reason:
	// the context's error, ErrSessionExpired or ErrClosed. A client that makes
	// one call at a time may make another one, a Get for instance: once that is
	// answered, what it found is final.
	ErrOutcomeUnknown = errors.New("outcome unknown")
	// ErrSessionExpired: the cell has ended the session. All calls of the Client
	// fail from now on; make a new one, and look again at everything that the
	// old one believed.
	ErrSessionExpired = errors.New("session expired")
	// ErrClosed: Close was called.
	ErrClosed = errors.New("client closed")
	// ErrTooLarge: a key or value exceeds its limit (api.MaxKey, api.MaxValue),
	// or the rows of a List do.
	ErrTooLarge = errors.New("too large")
	// ErrInvalid: the call, or the Client's Config, breaks a rule.
	ErrInvalid = errors.New("invalid")
	// ErrBusy: too many calls wait already (Config.Queue).
	ErrBusy = errors.New("too many calls waiting")
)

// Error is why a call failed. It unwraps to the sentinels and causes that it
// prints.
type Error struct {
	Op     string  // "put"
	Key    string  // "" where the op has none
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

// ConflictError is what a CompareAndSet met.
type ConflictError struct {
	Found bool   // there is a row
	Value string // what it holds
}

// Error says whether there was a row; a value may be long and is not printed.
func (e *ConflictError) Error() string {
	if !e.Found {
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
	switch d.Result.Code {
	case api.TooLarge:
		return append(all, ErrTooLarge)
	case api.Invalid:
		return append(all, ErrInvalid)
	}
	return append(all, fmt.Errorf("refused: %v", d.Result.Code))
}

// answer is what an executed call's result is as an error.
func answer(r api.Result) []error {
	switch r.Code {
	case api.OK, 0: // 0: the end of a session, which needs no answer to have come about
		return nil
	case api.NotFound:
		return []error{ErrNotFound}
	case api.Conflict:
		return []error{&ConflictError{Found: r.Found, Value: r.Value}}
	}
	return []error{fmt.Errorf("refused: %v", r.Code)}
}
