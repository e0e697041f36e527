package store

import (
	"errors"
	"fmt"
	"io"

	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/wal"
)

// Store is an open store. It belongs to the log lane: one caller at a time, every
// call may wait for the disk. The first error of any call is final.
type Store struct {
	lock  io.Closer
	reg   *wal.Register
	log   *wal.Log
	state state
	err   error

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

// Idle writes down how far the log is durable, so that rot of the latest records
// can be told from a torn tail. Call it when nothing was appended for a while.
func (s *Store) Idle() error {
	if s.err != nil {
		return s.err
	}
	return s.fail(s.log.Idle())
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
	if s.lock != nil {
		err = errors.Join(err, s.lock.Close())
	}
	s.log, s.reg, s.lock = nil, nil, nil
	if s.err == nil {
		s.err = fmt.Errorf("store: %w", ErrClosed)
	}
	return err
}
