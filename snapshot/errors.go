package snapshot

import (
	"errors"
	"fmt"
)

var (
	// ErrDamaged is wrapped by every *DamageError.
	ErrDamaged = errors.New("damaged")
	// ErrVersion: a file, or a snapshot that a replica sends, has an unknown format version.
	// Nothing was changed.
	ErrVersion = errors.New("unknown format version")
	// ErrHandle: the Handle is malformed.
	ErrHandle = errors.New("malformed handle")
	// ErrOld: the snapshot is not newer than the latest one. It would be useless, and could only
	// hide the newer one.
	ErrOld = errors.New("not newer than the latest snapshot")
	// ErrUnknown: the store does not have this snapshot, or no longer has it: it was pruned or
	// found damaged. A replica that was fetching it starts again with Latest.
	ErrUnknown = errors.New("no such snapshot")
	// ErrOther: the piece belongs to another snapshot than the one being installed.
	ErrOther = errors.New("piece of another snapshot")
	// ErrOffset: the piece does not begin where the last one ended, or the read begins outside
	// the snapshot.
	ErrOffset = errors.New("wrong offset")
	// ErrIncomplete: Commit was called while pieces are missing.
	ErrIncomplete = errors.New("pieces are missing")
	// ErrMissing: a snapshot that was published is gone, and there is no newer one
	// (Options.Confirmed).
	ErrMissing = errors.New("a published snapshot is missing")
	// ErrAborted: the Writer or Installer was aborted.
	ErrAborted = errors.New("aborted")
	// ErrCommitted: the Writer or Installer has published its snapshot.
	ErrCommitted = errors.New("already committed")
	// ErrClosed: the Store was closed, and with it its Writers, Installers and readers.
	ErrClosed = errors.New("closed")
)

// DamageError reports where a snapshot is damaged or cannot be read.
type DamageError struct {
	File   string
	Offset int64 // in File, of the bad piece (header, chunk, end)
	Why    string
	Err    error // the error of the disk; nil: none
}

// Error names the file, the offset and the reason.
func (e *DamageError) Error() string {
	s := fmt.Sprintf("snapshot: %s: damaged at offset %d: %s", e.File, e.Offset, e.Why)
	if e.Err != nil {
		s += ": " + e.Err.Error()
	}
	return s
}

// Unwrap returns ErrDamaged and the error of the disk.
func (e *DamageError) Unwrap() []error {
	if e.Err == nil {
		return []error{ErrDamaged}
	}
	return []error{ErrDamaged, e.Err}
}

func damageError(file string, off int64, format string, args ...any) error {
	return &DamageError{File: file, Offset: off, Why: fmt.Sprintf(format, args...)}
}

func versionError(file string, version uint16) error {
	return fmt.Errorf("snapshot: %s: offset 4: %w %d, this program reads %d", file, ErrVersion, version, formatVersion)
}

// isUnusable reports whether err means that one file is unusable, and says nothing about the
// disk or the process.
func isUnusable(err error) bool { return errors.Is(err, ErrDamaged) || errors.Is(err, ErrVersion) }
