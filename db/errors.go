package db

import (
	"errors"
	"fmt"
)

// ErrExists: an Insert found that the row exists. The list of operations had no effect.
var ErrExists = errors.New("db: row exists")

// ErrMissing: a Remove found that the row does not exist. The list of operations had no effect.
var ErrMissing = errors.New("db: no such row")

// ErrChanged: the rows of a view do not have the checksum that was maintained while they were
// written, because something other than a transaction changed memory. Discard what was written of
// the view.
var ErrChanged = errors.New("db: rows have changed by themselves")

// OpError names the operation of a list that failed. It wraps ErrExists or ErrMissing.
type OpError struct {
	Index int // in the list that ran
	Op    Op
	Err   error
}

// Error names the operation and its row.
func (e *OpError) Error() string {
	return fmt.Sprintf("operation %d, %v %q: %v", e.Index, e.Op.Kind, e.Op.Key, e.Err)
}

// Unwrap returns ErrExists or ErrMissing, or the error of an unknown Kind.
func (e *OpError) Unwrap() error { return e.Err }

// FormatError reports a stream that WriteTo did not write, or that was damaged later.
type FormatError struct {
	Offset int64 // of the first byte of the part that is wrong
	Reason string
	// Version says that the stream has a version that this program does not know, and may be good.
	Version bool
}

// Error names the offset and the reason.
func (e *FormatError) Error() string {
	return fmt.Sprintf("db: bad stream at offset %d: %s", e.Offset, e.Reason)
}
