package store

import "errors"

var (
	// ErrForgot says that log and register contradict each other: one of them is
	// older than it should be, so what this replica promised is unknown. It must not
	// vote again under its name.
	ErrForgot = errors.New("the store forgot what it promised")
	// ErrUncovered says that the front of the log was dropped, and that no good
	// snapshot that covers it is left: votes and rows are lost.
	ErrUncovered = errors.New("no good snapshot covers what the log lacks")
	// ErrRecord says that a record was read back whole and is malformed.
	ErrRecord = errors.New("malformed record")
	// ErrNotEmpty refuses to restore into a directory that holds something.
	ErrNotEmpty = errors.New("the directory is not empty")
	// ErrClosed is the error of a closed store.
	ErrClosed = errors.New("closed")
)
