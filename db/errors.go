package db

import (
	"errors"
	"fmt"
)

// ErrExists: an Insert found a row. The list it stands in had no effect.
var ErrExists = errors.New("db: row exists")

// ErrMissing: a Remove found no row. The list it stands in had no effect.
var ErrMissing = errors.New("db: no such row")

// ErrChanged: the rows of a view no longer have the checksum that was kept while
// they were written: memory was changed by something that is not a transaction.
// What was written of them is of no use.
var ErrChanged = errors.New("db: rows have changed by themselves")

// OpError says which operation of a list failed. It wraps ErrExists or
// ErrMissing.
type OpError struct {
	Index int // in the list that ran
	Op    Op
	Err   error
}

// Error names the operation and its row.
func (e *OpError) Error() string {
	return fmt.Sprintf("operation %d, %v %q: %v", e.Index, e.Op.Kind, e.Op.Key, e.Err)
}

// Unwrap returns ErrExists or ErrMissing.
func (e *OpError) Unwrap() error { return e.Err }

// FormatError says that a stream is not what WriteTo writes, or no longer is.
type FormatError struct {
	Offset int64 // of the first byte of the part that is wrong
	Reason string
}

// Error names offset and reason.
func (e *FormatError) Error() string {
	return fmt.Sprintf("db: bad stream at offset %d: %s", e.Offset, e.Reason)
}
