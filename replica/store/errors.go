package store

import "errors"

var (
	// ErrForgot says that log and register contradict each other: one of them is
	// older than it should be, so nobody knows what this replica promised. It must
	// not vote again under its name.
	ErrForgot = errors.New("the store forgot what it promised")
	// ErrRecord says that a record came back whole and makes no sense.
	ErrRecord = errors.New("malformed record")
	// ErrClosed is the answer of a closed store.
	ErrClosed = errors.New("closed")
)
