package store

import (
	"errors"
	"fmt"
	"io"

	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/wal"
)

// Store is an open store, for log jobs: one caller at a time, and every call may wait for
// the disk. The first error of any call is final. Bulk jobs use its Snapshots. Close it
// when no job of either kind runs.
type Store struct {
	lock      io.Closer
	reg       *wal.Register
	log       *wal.Log
	snapshots *Snapshots
	state     state
	index     index
	isTiny    bool // segments of the log are too small to be made ahead
	err       error

	entries []wal.Entry // of the Append under way
	tags    [][]byte
}

// Append writes records, the first of which has number first; numbers go on from
// one call to the next. Boot and promise are durable when it returns; all else is
// when Sync does. The records are not kept.
func (s *Store) Append(first paxos.LSN, rs []paxos.Record) error {
	if s.err != nil {
		return s.err
	}
	return s.fail(s.append(first, rs))
}

func (s *Store) append(first paxos.LSN, rs []paxos.Record) error {
	if err := s.promise(s.state.after(rs)); err != nil {
		return err
	}
	for i, r := range rs {
		kind, tag, data := paxos.EncodeRecord(r)
		if i == len(s.tags) {
			s.tags = append(s.tags, nil)
		}
		s.tags[i] = append(s.tags[i][:0], tag[:]...)
		s.entries = append(s.entries, wal.Entry{LSN: wal.LSN(first) + wal.LSN(i), Kind: kind, Tag: s.tags[i], Data: data})
	}
	err := s.log.Append(s.entries...)
	for i, r := range rs {
		s.index.add(first+paxos.LSN(i), paxos.HighestSlot(r))
	}
	clear(s.entries)
	s.entries = s.entries[:0]
	return err
}

// promise writes the register where boot or promise change.
func (s *Store) promise(next state) error {
	if next == s.state {
		return nil
	}
	next.watermark = s.log.Synced()
	if err := s.reg.Write(next.encode()); err != nil {
		return err
	}
	s.state = next
	return nil
}

// Sync makes all appended records durable.
func (s *Store) Sync() error {
	if s.err != nil {
		return s.err
	}
	return s.fail(s.log.Sync())
}

// Idle records how far the log is durable, so that rot of the latest records can be told
// from a torn tail. Call it when nothing was appended for a while.
func (s *Store) Idle() error {
	if s.err != nil {
		return s.err
	}
	return s.fail(s.log.Idle())
}

// WantsAhead reports whether MakeAhead has something to do. It makes no call of the disk.
func (s *Store) WantsAhead() bool { return s.err == nil && !s.isTiny && s.log.WantsAhead() }

// leastAhead is the size of the smallest segments that are made ahead. Smaller ones are full after a
// few records: the lanes would wait for the disk in turn, which has one sync more to do for each.
const leastAhead = 4096

// MakeAhead makes the next segment of the log, so that no Append waits for that. It may run beside
// another call, not beside Close. An error is not final: the segment is made when it is needed.
func (s *Store) MakeAhead() error { return s.log.MakeAhead() }

// Truncate drops from the log what concerns only slots below, as far as whole
// segments of it can go. The caller knows that good snapshots cover those slots
// (Snapshots.Floor). The register is written first: whenever a log lacks records, the
// register says which slots they concerned.
func (s *Store) Truncate(below paxos.Slot) error {
	if s.err != nil {
		return s.err
	}
	return s.fail(s.truncate(below))
}

func (s *Store) truncate(below paxos.Slot) error {
	if below <= 1 {
		return nil
	}
	lsn := s.index.first(below, paxos.LSN(s.log.Next()))
	if !s.log.CanDrop(wal.LSN(lsn)) {
		return nil
	}
	if s.state.floor < below || s.state.first < wal.LSN(lsn) {
		next := s.state
		next.floor, next.first, next.watermark = max(next.floor, below), max(next.first, wal.LSN(lsn)), s.log.Synced()
		if err := s.reg.Write(next.encode()); err != nil {
			return err
		}
		s.state = next
	}
	s.index.drop(below)
	return s.log.DropBefore(wal.LSN(lsn))
}

func (s *Store) fail(err error) error {
	if err != nil {
		s.err = fmt.Errorf("store: %w", err)
	}
	return s.err
}

// Close frees files and locks; it does not sync. Later calls fail.
func (s *Store) Close() error {
	var err error
	if s.log != nil {
		err = s.log.Close()
	}
	if s.reg != nil {
		err = errors.Join(err, s.reg.Close())
	}
	if s.snapshots != nil {
		err = errors.Join(err, s.snapshots.files.Close())
	}
	if s.lock != nil {
		err = errors.Join(err, s.lock.Close())
	}
	s.log, s.reg, s.lock = nil, nil, nil
	if s.err == nil {
		s.err = fmt.Errorf("store: %w", ErrClosed)
	}
	return err
}
