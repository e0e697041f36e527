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

// Options are what may differ from store to store. The zero Options are good.
type Options struct {
	// ChunkSize is how many bytes of data a chunk holds: 1 to MaxChunk, 0 for
	// DefaultChunkSize. Each chunk is synced before the next one is written, so
	// that a log on the same disk never waits for more than one of them (PML §7).
	// It matters to writing only: a file says itself how it was written.
	ChunkSize int
	// Keep is how many good snapshots Prune leaves; below 2 it is 2.
	Keep int
	// Confirmed is a slot whose snapshot the owner knows was published, from
	// elsewhere; 0 says nothing. If neither it nor a newer one can be read, the
	// report says so, also where the file is simply gone (PML §5.1).
	Confirmed Slot
}

// DefaultChunkSize is the ChunkSize of the zero Options: a few milliseconds for a
// disk that syncs in one or two, so that waiting for syncs costs less than half of
// what it can write.
const DefaultChunkSize = 1 << 20

const minKeep = 2

// Store is the snapshots of one directory. It is used by one caller at a time,
// and so is all that comes out of it; but calls of different Writers, Installers
// and the Store may follow each other in any order, also from within the
// functions handed to Write and Load.
//
// An error of the disk ends the operation it came from. That one publishes
// nothing, and is never tried again by itself.
type Store struct {
	fs     vfs.FS
	dir    string
	o      Options
	lock   io.Closer
	good   []entry // ascending by slot; all of them published and confirmed
	bad    []Bad
	unique uint64 // names of files set aside are not used twice
	closed bool
}

// entry is one published snapshot.
type entry struct {
	id ID
	l  layout
}

// Bad is a file that has the name of a snapshot and is none that can be used. It
// stays where it is until Keep good ones are newer, or one of its slot replaces
// it. ErrDamaged, ErrVersion or ErrMissing is in Err.
type Bad struct {
	File string
	Slot Slot // as the name says; 0 where it says none
	Err  error
}

const (
	suffix    = ".snap"
	tmpSuffix = ".tmp"
	slotWidth = 20 // digits
)

func fileName(s Slot) string { return fmt.Sprintf("%0*d%s", slotWidth, uint64(s), suffix) }

// parseName reads what fileName wrote, and nothing else.
func parseName(name string) (Slot, bool) {
	digits, ok := strings.CutSuffix(name, suffix)
	n, err := strconv.ParseUint(digits, 10, 64)
	return Slot(n), ok && err == nil && n > 0 && name == fileName(Slot(n))
}

func (s *Store) path(slot Slot) string { return path.Join(s.dir, fileName(slot)) }

// Latest is the newest good snapshot, by slot. It is durable.
func (s *Store) Latest() (ID, bool) {
	if len(s.good) == 0 {
		return ID{}, false
	}
	return s.good[len(s.good)-1].id.clone(), true
}

// List is all good snapshots, the oldest first. A log truncated up to the oldest
// can do without any one of the others.
func (s *Store) List() []ID {
	var ids []ID
	for _, e := range s.good {
		ids = append(ids, e.id.clone())
	}
	return ids
}

// Bad is what was found unusable: when the store was opened, and since.
func (s *Store) Bad() []Bad { return slices.Clone(s.bad) }

// find returns the entry of a slot, nil if there is none.
func (s *Store) find(slot Slot) *entry {
	i := slices.IndexFunc(s.good, func(e entry) bool { return e.id.Handle.Slot == slot })
	if i < 0 {
		return nil
	}
	return &s.good[i]
}

// admit refuses a snapshot that would not be the newest.
func (s *Store) admit(h Handle) error {
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

// publish is the one way in which the store gets a snapshot, own or installed:
// the file set aside is complete and synced; here it gets its name, the name is
// made durable, and only then it is what counts.
func (s *Store) publish(a *aside, e entry) error {
	slot := e.id.Handle.Slot
	if err := s.fs.Rename(a.name, s.path(slot)); err != nil {
		return err
	}
	a.named = true
	if err := s.fs.SyncDir(s.dir); err != nil {
		return err
	}
	last, ok := s.Latest()
	invariant.Check(!ok || last.Handle.Slot < slot, "I-N1", "snapshot of slot %d published behind %v", slot, last)
	s.good = append(s.good, e)
	s.bad = slices.DeleteFunc(s.bad, func(b Bad) bool { return b.Slot == slot })
	return nil
}

// spoil takes a snapshot from the good ones if err says that it is unusable, and
// passes err on.
func (s *Store) spoil(id ID, err error) error {
	if !unusable(err) {
		return err
	}
	s.good = slices.DeleteFunc(s.good, func(e entry) bool { return e.id.Equal(id) })
	slot := id.Handle.Slot
	if !slices.ContainsFunc(s.bad, func(b Bad) bool { return b.Slot == slot }) {
		s.bad = append(s.bad, Bad{File: s.path(slot), Slot: slot, Err: err})
	}
	return err
}

// Prune removes what is older than the newest Keep good snapshots, bad ones
// included, and returns the slots it removed. While there are fewer good ones it
// removes nothing. After an error, part of it may be done, and what was removed
// may come back after a crash.
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

// below lists the slots under floor that have a file, in order.
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

// Close frees the lock. What was set aside and not committed stays on the disk
// until the store is opened again.
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
