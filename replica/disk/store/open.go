package store

import (
	"errors"
	"fmt"
	"path"
	"slices"

	"github.com/chubbycell/chubby/db"
	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/snapshot"
	"github.com/chubbycell/chubby/wal"
	"github.com/chubbycell/chubby/wal/vfs"
)

// Options configure a store.
type Options struct {
	// SegmentSize is that of the log, in bytes (wal.Options); 0 is good.
	SegmentSize int64
	// ChunkSize is that of snapshots, in bytes (snapshot.Options); 0 is good.
	ChunkSize int
	// Salt draws 64 bits that no client can predict or read, for each segment of
	// the log (wal.Options says why). The store calls it within Open, Append and
	// Idle, and refuses to open without. It is no part of what describes a run.
	Salt func() uint64 `json:"-"`
}

// Report is what Open found that an operator may want to know. None of it is an error.
type Report struct {
	Torn       *wal.Torn          // the tail that was cut off, or nil
	Unreadable []paxos.Unreadable // votes whose value rotted
	Unlearned  []paxos.Unlearned  // learned values that rotted: they are fetched again
	Damaged    []wal.Damage       // where the two above stand
	Repaired   []string           // register copies that were written anew
	Created    bool               // there was no store
	Bad        []snapshot.Bad     // snapshots that could not be used
	Leftovers  []string           // unfinished snapshots that were removed
}

// Recovered is what a store returns: the numbered records for paxos, and the rows on
// which they are applied.
type Recovered struct {
	paxos.Recovered
	Rows     *db.DB     // as of Snapshot.Slot; nil where there is no snapshot
	LogFloor paxos.Slot // Snapshots.Floor: the log is needed from this slot on; 0: all of it
}

// String is one line.
func (r Report) String() string {
	switch {
	case r.Created:
		return "created"
	case r.Torn != nil:
		return fmt.Sprintf("cut %d bytes off %s at %d, %s", r.Torn.Bytes, r.Torn.File, r.Torn.Offset, r.damage())
	}
	return "clean end, " + r.damage()
}

// damage names the first place only: it tells which file to look at.
func (r Report) damage() string {
	s := fmt.Sprintf("%d votes and %d learned values unreadable, %d copies repaired, %d snapshots bad",
		len(r.Unreadable), len(r.Unlearned), len(r.Repaired), len(r.Bad))
	if len(r.Damaged) > 0 {
		s += fmt.Sprintf("; first damage in %s at %d", r.Damaged[0].File, r.Damaged[0].Offset)
	}
	return s
}

// Open opens the store in a directory, which it makes if there is none, and reads
// it back. An error means that this replica must not vote: see the package
// comment. What it returns is durable.
func Open(fsys vfs.FS, dir string, o Options) (*Store, Recovered, Report, error) {
	s := &Store{}
	rec, report, err := s.open(fsys, dir, o)
	if err != nil {
		return nil, Recovered{}, Report{}, errors.Join(err, s.Close())
	}
	return s, rec, report, nil
}

func (s *Store) open(fsys vfs.FS, dir string, o Options) (rec Recovered, report Report, err error) {
	if o.Salt == nil {
		return rec, report, fmt.Errorf("store: %s: no Options.Salt: values could pass for parts of the log", dir)
	}
	if err = fsys.MkdirAll(dir); err != nil {
		return rec, report, err
	}
	if s.lock, err = fsys.Lock(path.Join(dir, "LOCK")); err != nil {
		return rec, report, err
	}
	var value []byte
	if s.reg, value, err = wal.OpenRegister(fsys, dir, "promise"); err != nil {
		return rec, report, err
	}
	if value != nil {
		if s.state, err = decodeState(value); err != nil {
			return rec, report, err
		}
	}
	s.isTiny = o.SegmentSize > 0 && o.SegmentSize < leastAhead
	var r wal.Recovery
	s.log, r, err = wal.Open(fsys, path.Join(dir, "log"), wal.Options{
		SegmentSize: o.SegmentSize, Watermark: s.state.watermark, Salt: o.Salt,
	})
	if err != nil {
		return rec, report, err
	}
	switch {
	case r.Created && value != nil:
		err = fmt.Errorf("store: %s: %w: a register of boot %d, and no log", dir, ErrForgot, s.state.boot)
	case r.Next > 1 && value == nil:
		err = fmt.Errorf("store: %s: %w: a log up to #%d, and no register", dir, ErrForgot, r.Next-1)
	}
	if err != nil {
		return rec, report, err
	}
	report = Report{Torn: r.Torn, Repaired: append(s.reg.Repaired(), r.Repaired...), Created: r.Created}
	if err = s.openSnapshots(fsys, dir, o, &rec, &report); err != nil {
		return rec, report, err
	}
	if err = s.checkCovered(dir, r.First, rec.Snapshot.Slot); err != nil {
		return rec, report, err
	}
	err = s.replay(r, &rec.Recovered, &report)
	return rec, report, err
}

// replay turns entries into records, in order, each checked against the register.
func (s *Store) replay(r wal.Recovery, rec *paxos.Recovered, report *Report) error {
	rec.Boot, rec.Promise, rec.Next = s.state.boot, s.state.promise, paxos.LSN(r.Next)
	rec.Grant, rec.Floor = s.state.grant, s.state.floor
	next := paxos.LSN(r.First)
	all := len(r.Entries) + len(r.Damaged)
	s.index = slices.Grow(s.index, all/2) // a vote and what is settled, of each slot
	for len(r.Entries)+len(r.Damaged) > 0 {
		var record paxos.Record
		var err error
		if len(r.Damaged) > 0 && (len(r.Entries) == 0 || r.Damaged[0].LSN < r.Entries[0].LSN) {
			record, err = unreadable(r.Damaged[0], report)
			r.Damaged = r.Damaged[1:]
		} else {
			record, err = decode(r.Entries[0])
			r.Entries = r.Entries[1:]
		}
		if err != nil {
			return err
		}
		if err := s.state.checkRecord(record); err != nil {
			return err
		}
		s.index.add(next, paxos.HighestSlot(record))
		next++
		switch record.(type) {
		case paxos.Booted, paxos.Promised: // the register's
		default:
			if rec.Records == nil {
				rec.Records = make([]paxos.Record, 0, 1+len(r.Entries)+len(r.Damaged))
			}
			rec.Records = append(rec.Records, record)
		}
	}
	return nil
}

func decode(e wal.Entry) (paxos.Record, error) {
	r, err := paxos.DecodeRecord(e.Kind, e.Tag, e.Data)
	if err != nil {
		return nil, fmt.Errorf("store: #%d: %w: %w", e.LSN, ErrRecord, err)
	}
	return r, nil
}

func unreadable(d wal.Damage, report *Report) (paxos.Record, error) {
	r, err := paxos.DecodeUnreadable(d.Kind, d.Tag)
	if err != nil {
		lost := &wal.DamageError{File: d.File, Offset: d.Offset, Why: fmt.Sprintf("data of #%d", d.LSN)}
		return nil, fmt.Errorf("store: %w: %w", lost, err)
	}
	report.Damaged = append(report.Damaged, d)
	switch r := r.(type) {
	case paxos.Unreadable:
		report.Unreadable = append(report.Unreadable, r)
	case paxos.Unlearned:
		report.Unlearned = append(report.Unlearned, r)
	}
	return r, nil
}
