package wal

import (
	"errors"
	"fmt"
)

var (
	// ErrDamaged is in every *DamageError.
	ErrDamaged = errors.New("damaged")
	// ErrVersion says that a file was written in a format this program does not
	// know. Nothing was changed.
	ErrVersion = errors.New("unknown format version")
	// ErrNotLog is Dump's refusal of a file that begins like none of a log. It
	// comes with ErrDamaged: a log's file that lost its beginning looks the same.
	ErrNotLog = errors.New("not a log file")
	// ErrEntry is Append's refusal of entries that break its contract: a gap in
	// the numbers, no kind, a tag or data too long. Nothing was written; the log
	// goes on.
	ErrEntry = errors.New("malformed entry")
	// ErrClosed is the answer of a closed Log or Register.
	ErrClosed = errors.New("closed")
)

// DamageError says that a disk lost something it had, in a way that cannot be
// narrowed down to the data of known entries. The log's owner no longer knows what
// it wrote.
type DamageError struct {
	File   string
	Offset int64 // in File, where what was expected is not
	Why    string
}

// Error names the file and the offset.
func (e *DamageError) Error() string {
	return fmt.Sprintf("wal: %s: damaged at offset %d: %s", e.File, e.Offset, e.Why)
}

// Unwrap makes every DamageError an ErrDamaged.
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
