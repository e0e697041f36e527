package snapshot

import (
	"errors"
	"fmt"
)

var (
	// ErrDamaged is in every *DamageError.
	ErrDamaged = errors.New("damaged")
	// ErrVersion says that a file, or what a peer sends, is in a format this
	// program does not know. Nothing was changed.
	ErrVersion = errors.New("unknown format version")
	// ErrHandle refuses a malformed Handle.
	ErrHandle = errors.New("malformed handle")
	// ErrOld refuses a snapshot that is not newer than the latest one. It would be
	// of no use, and publishing it could only hide the newer one.
	ErrOld = errors.New("not newer than the latest snapshot")
	// ErrUnknown says that the store has no such snapshot, or not any more: it was
	// pruned, or found damaged. A peer that was fetching it begins anew with Latest.
	ErrUnknown = errors.New("no such snapshot")
	// ErrOther refuses a piece of a snapshot that is not the one being installed.
	ErrOther = errors.New("piece of another snapshot")
	// ErrOffset refuses a piece that does not begin where the last one ended, and a
	// read that begins outside the snapshot.
	ErrOffset = errors.New("wrong offset")
	// ErrIncomplete is Commit's answer while pieces are missing.
	ErrIncomplete = errors.New("pieces are missing")
	// ErrMissing says that a snapshot which is known to have been published is gone,
	// and no newer one is there (Options.Confirmed).
	ErrMissing = errors.New("a published snapshot is missing")
	// ErrAborted is the answer of a Writer or Installer that was aborted.
	ErrAborted = errors.New("aborted")
	// ErrCommitted is the answer of a Writer or Installer that has published.
	ErrCommitted = errors.New("already committed")
	// ErrClosed is the answer of a closed Store and of all that came out of it.
	ErrClosed = errors.New("closed")
)

// DamageError says where a snapshot is not what was written, or cannot be read.
type DamageError struct {
	File   string
	Offset int64 // in File, of the piece (header, chunk, end) that is not good
	Why    string
	Err    error // what the disk said, if it said something
}

// Error names the file and the offset.
func (e *DamageError) Error() string {
	s := fmt.Sprintf("snapshot: %s: damaged at offset %d: %s", e.File, e.Offset, e.Why)
	if e.Err != nil {
		s += ": " + e.Err.Error()
	}
	return s
}

// Unwrap makes every DamageError an ErrDamaged, and what the disk said.
func (e *DamageError) Unwrap() []error {
	if e.Err == nil {
		return []error{ErrDamaged}
	}
	return []error{ErrDamaged, e.Err}
}

func damaged(file string, off int64, format string, args ...any) error {
	return &DamageError{File: file, Offset: off, Why: fmt.Sprintf(format, args...)}
}

func wrongVersion(file string, version uint16) error {
	return fmt.Errorf("snapshot: %s: offset 4: %w %d, this program knows %d", file, ErrVersion, version, formatVersion)
}

// unusable says that err condemns one file, and not the disk or the process.
func unusable(err error) bool { return errors.Is(err, ErrDamaged) || errors.Is(err, ErrVersion) }
