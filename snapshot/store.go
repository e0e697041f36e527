package snapshot

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/chubbycell/chubby/internal/invariant"
	"github.com/chubbycell/chubby/wal/vfs"
)

// Options configure a Store. The zero Options are valid.
type Options struct {
	// ChunkSize is the number of data bytes in a chunk: 1 to MaxChunk, or 0 for
	// DefaultChunkSize. Each chunk is synced before the next one is written, so that a log on
	// the same disk never waits for more than one of them (PML §7). It affects writing only: a
	// file states its own chunk size.
	ChunkSize int
	// Keep is how many good snapshots Prune leaves, at least 2.
	Keep int
	// Confirmed is a slot whose snapshot is known, from elsewhere, to have been published; 0: none.
	// If neither that snapshot nor a newer one is good, the report says so, even if the file is
	// simply gone (PML §5.1).
	Confirmed Slot
}

// DefaultChunkSize is the default of Options.ChunkSize: a few milliseconds of writing for a
// disk that syncs in one or two, so that syncs cost less than half of its throughput.
const DefaultChunkSize = 1 << 20

const minKeep = 2

// Store holds the snapshots of one directory. Calls of a Store and of its Writers and
// Installers must not overlap, but may be interleaved in any order, also from within the
// functions passed to Write and Load.
//
// An error of the disk ends the operation that met it. That operation publishes nothing and is
// not retried.
type Store struct {
	fs     vfs.FS
	dir    string
	o      Options
	lock   io.Closer
	good   []entry // published and confirmed, ascending by slot
	bad    []Bad
	unique uint64 // number of the last temporary name
	closed bool
}

// entry is one published snapshot.
type entry struct {
	id ID
	l  layout
}

// Bad is a file that has the name of a snapshot and is unusable. It stays until Keep good snapshots
// are newer, or a good snapshot of its slot replaces it. Err wraps ErrDamaged, ErrVersion or
// ErrMissing.
type Bad struct {
	File string
	Slot Slot // by the name; 0: the name has none
	Err  error
}

const (
	suffix    = ".snap"
	tmpSuffix = ".tmp"
	slotWidth = 20 // digits
)

func fileName(s Slot) string { return fmt.Sprintf("%0*d%s", slotWidth, uint64(s), suffix) }

// FileName returns the name of the file of a snapshot, in the directory of its Store.
func FileName(s Slot) string { return fileName(s) }

// parseName parses the names that fileName returns, and no others.
func parseName(name string) (Slot, bool) {
	digits, ok := strings.CutSuffix(name, suffix)
	n, err := strconv.ParseUint(digits, 10, 64)
	return Slot(n), ok && err == nil && n > 0 && name == fileName(Slot(n))
}

func (s *Store) path(slot Slot) string { return path.Join(s.dir, fileName(slot)) }

// Latest returns the newest good snapshot, by slot, and whether there is one. It is durable.
func (s *Store) Latest() (ID, bool) {
	if len(s.good) == 0 {
		return ID{}, false
	}
	return s.good[len(s.good)-1].id.clone(), true
}

// List returns all good snapshots, the oldest first.
func (s *Store) List() []ID {
	var ids []ID
	for _, e := range s.good {
		ids = append(ids, e.id.clone())
	}
	return ids
}

// Bad returns the files that were found to be unusable, by Open or since.
func (s *Store) Bad() []Bad { return slices.Clone(s.bad) }

// find returns the entry of a slot, nil if there is none.
func (s *Store) find(slot Slot) *entry {
	i := slices.IndexFunc(s.good, func(e entry) bool { return e.id.Handle.Slot == slot })
	if i < 0 {
		return nil
	}
	return &s.good[i]
}

// checkNewer fails unless a snapshot with this handle would be the newest.
func (s *Store) checkNewer(h Handle) error {
	if s.closed {
		return fmt.Errorf("snapshot: %s: %w", s.dir, ErrClosed)
	}
	if err := h.check(); err != nil {
		return err
	}
	if last, ok := s.Latest(); ok && h.Slot <= last.Handle.Slot {
		return fmt.Errorf("snapshot: %s: slot %d: %w, slot %d", s.dir, h.Slot, ErrOld, last.Handle.Slot)
	}
	return nil
}

// publish is the only way to add a snapshot to the store, its own or an installed one. The file is
// complete and synced. publish renames it, makes the name durable, and only then adds it to the
// store.
func (s *Store) publish(a *tempFile, e entry) error {
	slot := e.id.Handle.Slot
	if err := s.fs.Rename(a.name, s.path(slot)); err != nil {
		return err
	}
	a.renamed = true
	if err := s.fs.SyncDir(s.dir); err != nil {
		return err
	}
	last, ok := s.Latest()
	invariant.Check(!ok || last.Handle.Slot < slot, "I-N1", "snapshot of slot %d published after %v", slot, last)
	s.good = append(s.good, e)
	s.bad = slices.DeleteFunc(s.bad, func(b Bad) bool { return b.Slot == slot })
	return nil
}

// dropUnusable moves a snapshot from the good to the bad ones if err says that it is unusable.
// It returns err.
func (s *Store) dropUnusable(id ID, err error) error {
	if !isUnusable(err) {
		return err
	}
	s.good = slices.DeleteFunc(s.good, func(e entry) bool { return e.id.Equal(id) })
	slot := id.Handle.Slot
	if !slices.ContainsFunc(s.bad, func(b Bad) bool { return b.Slot == slot }) {
		s.bad = append(s.bad, Bad{File: s.path(slot), Slot: slot, Err: err})
	}
	return err
}

// Prune removes all snapshots, good and bad, that are older than the newest Keep good ones, and
// returns their slots. If there are fewer than Keep good ones, it removes nothing. After an error
// some may have been removed, and removed ones may reappear after a crash.
func (s *Store) Prune() ([]Slot, error) {
	if s.closed {
		return nil, fmt.Errorf("snapshot: %s: %w", s.dir, ErrClosed)
	}
	if len(s.good) < s.o.Keep {
		return nil, nil
	}
	floor := s.good[len(s.good)-s.o.Keep].id.Handle.Slot
	var removed []Slot
	for _, slot := range s.below(floor) {
		if err := s.fs.Remove(s.path(slot)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return removed, err
		}
		s.good = slices.DeleteFunc(s.good, func(e entry) bool { return e.id.Handle.Slot == slot })
		s.bad = slices.DeleteFunc(s.bad, func(b Bad) bool { return b.Slot == slot })
		removed = append(removed, slot)
	}
	invariant.Check(len(s.good) == s.o.Keep, "I-N2", "%d snapshots left of %d", len(s.good), s.o.Keep)
	if len(removed) == 0 {
		return nil, nil
	}
	return removed, s.fs.SyncDir(s.dir)
}

// below lists the slots under floor that have a file, in ascending order.
func (s *Store) below(floor Slot) []Slot {
	var slots []Slot
	for _, e := range s.good {
		if e.id.Handle.Slot < floor {
			slots = append(slots, e.id.Handle.Slot)
		}
	}
	for _, b := range s.bad {
		if b.Slot > 0 && b.Slot < floor && !errors.Is(b.Err, ErrMissing) {
			slots = append(slots, b.Slot)
		}
	}
	slices.Sort(slots)
	return slots
}

// Close releases the lock. Temporary files that were not committed stay on the disk until the
// store is opened again. Closing again is harmless.
func (s *Store) Close() error {
	if s.closed {
		return nil
	}
	s.closed = true
	if s.lock == nil {
		return nil
	}
	return s.lock.Close()
}
