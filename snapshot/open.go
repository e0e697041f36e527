package snapshot

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/chubbycell/chubby/wal/vfs"
)

// Report is what Open found and did.
type Report struct {
	Good    []ID     // usable snapshots, the oldest first
	Bad     []Bad    // unusable ones; if one is newer than all good ones, state was lost
	Removed []string // leftovers of unfinished writes, removed without reading
}

// Open opens the snapshots of a directory, and creates the directory if it does not exist
// (doc.go lists the steps). It reads every snapshot to its end: those in Latest and List were
// good then. One Store may be open at a time: opening a second one fails with vfs.ErrLocked.
//
// A bad snapshot is not an error of Open. It is in the report, and Latest is the newest good one.
// The caller decides from its log whether that one is new enough.
func Open(fsys vfs.FS, dir string, o Options) (*Store, Report, error) {
	if o.ChunkSize < 0 || o.ChunkSize > MaxChunk {
		return nil, Report{}, fmt.Errorf("snapshot: ChunkSize %d is not within 0 to %d", o.ChunkSize, MaxChunk)
	}
	if o.ChunkSize == 0 {
		o.ChunkSize = DefaultChunkSize
	}
	o.Keep = max(o.Keep, minKeep)
	s := &Store{fs: fsys, dir: dir, o: o}
	r, err := s.recover()
	if err != nil {
		return nil, Report{}, errors.Join(err, s.Close())
	}
	return s, r, nil
}

func (s *Store) recover() (Report, error) {
	if err := s.fs.MkdirAll(s.dir); err != nil {
		return Report{}, err
	}
	var err error
	if s.lock, err = s.fs.Lock(path.Join(s.dir, "LOCK")); err != nil {
		return Report{}, err
	}
	names, err := s.fs.ReadDir(s.dir)
	if err != nil {
		return Report{}, err
	}
	var r Report
	if r.Removed, err = s.removeLeftovers(names); err != nil {
		return Report{}, err
	}
	// This covers existing names, too: the process that published one may have crashed before its
	// name was durable, on a machine that stayed up.
	if err := s.fs.SyncDir(s.dir); err != nil {
		return Report{}, err
	}
	for _, name := range names {
		if err := s.classify(name); err != nil {
			return Report{}, err
		}
	}
	slices.SortFunc(s.good, func(a, b entry) int {
		if a.id.Handle.Slot < b.id.Handle.Slot {
			return -1
		}
		return 1 // never equal: a slot has one name
	})
	s.checkConfirmed()
	r.Good, r.Bad = s.List(), s.Bad()
	return r, nil
}

func (s *Store) removeLeftovers(names []string) ([]string, error) {
	var removed []string
	for _, name := range names {
		if !strings.HasSuffix(name, tmpSuffix) {
			continue
		}
		full := path.Join(s.dir, name)
		if err := s.fs.Remove(full); err != nil {
			return removed, err
		}
		removed = append(removed, full)
	}
	return removed, nil
}

// classify adds a file to the good or the bad snapshots, or ignores it if its name is not that
// of a snapshot.
func (s *Store) classify(name string) error {
	if !strings.HasSuffix(name, suffix) {
		return nil
	}
	full := path.Join(s.dir, name)
	slot, ok := parseName(name)
	if !ok {
		s.bad = append(s.bad, Bad{File: full, Err: damageError(full, 0, "not the name of a snapshot")})
		return nil
	}
	l, id, err := verify(s.fs, full)
	if err == nil && id.Handle.Slot != slot {
		err = damageError(full, 0, "a snapshot of slot %d under the name of slot %d", id.Handle.Slot, slot)
	}
	switch {
	case err == nil:
		s.good = append(s.good, entry{id: id, l: l})
	case errors.Is(err, vfs.ErrIsDirectory): // not ours: Prune, which goes by slots, leaves it alone
		s.bad = append(s.bad, Bad{File: full, Err: err})
	case isUnusable(err):
		s.bad = append(s.bad, Bad{File: full, Slot: slot, Err: err})
	default:
		return err
	}
	return nil
}

func (s *Store) checkConfirmed() {
	slot := s.o.Confirmed
	last, ok := s.Latest()
	if slot == 0 || ok && last.Handle.Slot >= slot || slices.ContainsFunc(s.bad, func(b Bad) bool { return b.Slot == slot }) {
		return
	}
	full := s.path(slot)
	s.bad = append(s.bad, Bad{File: full, Slot: slot, Err: fmt.Errorf("snapshot: %s: %w", full, ErrMissing)})
}
