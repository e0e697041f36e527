package store

import "errors"

var (
	// ErrForgot says that log and register contradict each other: one of them is
	// older than it should be, so nobody knows what this replica promised. It must
	// not vote again under its name.
	ErrForgot = errors.New("the store forgot what it promised")
	// ErrUncovered says that the front of the log was dropped, and that no good
	// snapshot is left which covers it: votes and rows are lost.
	ErrUncovered = errors.New("no good snapshot covers what the log lacks")
	// ErrRecord says that a record came back whole and makes no sense.
	ErrRecord = errors.New("malformed record")
	// ErrNotEmpty refuses to restore into a directory that holds something.
	ErrNotEmpty = errors.New("the directory is not empty")
	// ErrClosed is the answer of a closed store.
	ErrClosed = errors.New("closed")
)
