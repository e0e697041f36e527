package wal

import (
	"errors"
	"fmt"
)

var (
	// ErrDamaged is wrapped by every *DamageError.
	ErrDamaged = errors.New("damaged")
	// ErrVersion: a file has a format version that this program does not know. Neither this file
	// nor a segment of the log was changed.
	ErrVersion = errors.New("unknown format version")
	// ErrNotLog: Dump refuses a file that does not begin like a file of a log. It comes with
	// ErrDamaged: a log's file that lost its beginning looks the same.
	ErrNotLog = errors.New("not a log file")
	// ErrEntry: Append refuses entries that break its contract: a gap in the numbers, no kind, or a
	// tag or data that is too long. Nothing was written; the log remains usable.
	ErrEntry = errors.New("malformed entry")
	// ErrClosed: the Log or Register is closed.
	ErrClosed = errors.New("closed")
)

// DamageError reports that a disk lost something, and that the loss cannot be narrowed down to the
// data of known entries. The log's owner no longer knows what it wrote.
type DamageError struct {
	File   string
	Offset int64 // in File, where the expected bytes are missing
	Why    string
}

// Error names the file and the offset.
func (e *DamageError) Error() string {
	return fmt.Sprintf("wal: %s: damaged at offset %d: %s", e.File, e.Offset, e.Why)
}

// Unwrap returns ErrDamaged.
func (e *DamageError) Unwrap() error { return ErrDamaged }

func damaged(file string, off int64, format string, args ...any) error {
	return &DamageError{File: file, Offset: off, Why: fmt.Sprintf(format, args...)}
}

func wrongVersion(file string, version, known uint16) error {
	return fmt.Errorf("wal: %s: %w %d; this program knows %d", file, ErrVersion, version, known)
}

func notLog(file string) error {
	return fmt.Errorf("wal: %s: %w, or one %w in its first bytes", file, ErrNotLog, ErrDamaged)
}
