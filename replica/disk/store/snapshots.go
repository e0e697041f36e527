package store

import (
	"errors"
	"fmt"
	"io"
	"path"

	"github.com/chubbycell/chubby/db"
	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/snapshot"
	"github.com/chubbycell/chubby/wal"
	"github.com/chubbycell/chubby/wal/vfs"
)

// Snapshots are the snapshots of a store, for bulk jobs: one caller at a time, and every
// call may wait for the disk; log jobs may use the Store meanwhile. An error ends the call
// that it came from, and nothing else: a snapshot may fail (P7.05).
type Snapshots struct {
	files *snapshot.Store
	in    *snapshot.Installer // of the transfer under way, or nil
}

// Snapshots returns the snapshots of the store.
func (s *Store) Snapshots() *Snapshots { return s.snapshots }

// ID identifies one snapshot, also among those of the same slot.
type ID struct {
	Handle paxos.Handle
	Size   int64  // bytes in all
	Sum    uint64 // of all bytes
}

// Write writes the rows as they were after h.Slot and publishes them. When it
// returns nil, and not before, the snapshot is durable.
func (b *Snapshots) Write(h paxos.Handle, rows db.View) (ID, error) {
	id, err := write(b.files, h, rows)
	return idIn(id), err
}

func write(snaps *snapshot.Store, h paxos.Handle, rows db.View) (snapshot.ID, error) {
	return snaps.Write(handleOut(h), func(w io.Writer) error {
		_, err := rows.WriteTo(w)
		return err
	})
}

// Prune removes snapshots that are older than those to be kept.
func (b *Snapshots) Prune() error {
	_, err := b.files.Prune()
	return err
}

// Floor is the lowest slot whose records the log must keep: the one above the oldest good
// snapshot. While there are fewer than two it is 0, keep all: if one snapshot rots,
// another must cover what the log has dropped.
func (b *Snapshots) Floor() paxos.Slot {
	all := b.files.List()
	if len(all) < 2 {
		return 0
	}
	return paxos.Slot(all[0].Handle.Slot) + 1
}

// Latest is the newest good snapshot.
func (b *Snapshots) Latest() (ID, bool) {
	id, ok := b.files.Latest()
	return idIn(id), ok
}

// Read returns up to n bytes at off of a snapshot, for a peer. snapshot.ErrUnknown
// says that it is not there, or not any more.
func (b *Snapshots) Read(id ID, off int64, n int) ([]byte, error) {
	return b.files.ReadChunk(idOut(id), off, n)
}

// Put takes in one piece of a snapshot from a peer. The first piece, or one of
// another snapshot at offset 0, begins a transfer and ends the one before. It
// returns where the next piece must begin.
func (b *Snapshots) Put(id ID, off int64, data []byte) (int64, error) {
	out := idOut(id)
	if b.in == nil || off == 0 && !b.in.ID().Equal(out) {
		b.Abort()
		in, err := b.files.Install(out)
		if err != nil {
			return 0, err
		}
		b.in = in
	}
	err := b.in.Put(out, off, data)
	return b.in.Offset(), err
}

// Commit publishes what was taken in, whole. When it returns nil the snapshot is
// durable.
func (b *Snapshots) Commit() (ID, error) {
	if b.in == nil {
		return ID{}, fmt.Errorf("store: %w: no transfer is under way", snapshot.ErrIncomplete)
	}
	id, err := b.in.Commit()
	b.in = nil
	return idIn(id), err
}

// Abort gives up a transfer, if one is under way.
func (b *Snapshots) Abort() {
	if b.in != nil {
		b.in.Abort()
		b.in = nil
	}
}

// Rows loads the rows of a snapshot. A snapshot whose rows do not load is bad, even if its
// file is good, and Latest is the one before (snapshot.ErrDamaged).
func (b *Snapshots) Rows(h paxos.Handle) (rows *db.DB, err error) {
	err = b.files.Load(handleOut(h), func(r io.Reader) (err error) {
		rows, err = db.Load(r)
		var bad *db.FormatError
		if errors.As(err, &bad) {
			return fmt.Errorf("store: %w: %w", snapshot.ErrDamaged, err)
		}
		return err
	})
	return rows, err
}

// openSnapshots loads the newest snapshot whose rows load to the last one.
func (s *Store) openSnapshots(fsys vfs.FS, dir string, o Options, rec *Recovered, report *Report) error {
	snaps, r, err := snapshot.Open(fsys, path.Join(dir, "snapshots"), snapshot.Options{ChunkSize: o.ChunkSize})
	if err != nil {
		return err
	}
	s.snapshots = &Snapshots{files: snaps}
	report.Leftovers = r.Removed
	for {
		id, ok := snaps.Latest()
		if !ok {
			break
		}
		rec.Rows, err = s.snapshots.Rows(handleIn(id.Handle))
		if err == nil {
			rec.Snapshot = handleIn(id.Handle)
			break
		}
		if !errors.Is(err, snapshot.ErrDamaged) {
			return err
		}
	}
	rec.LogFloor = s.snapshots.Floor()
	report.Bad = snaps.Bad()
	return nil
}

// checkCovered refuses a log that lacks records which no good snapshot covers. The error
// has the reasons why other snapshots are bad: the next Open may not find them again.
func (s *Store) checkCovered(dir string, first wal.LSN, slot paxos.Slot) error {
	switch {
	case s.state.boot == 0 && slot > 0:
		return fmt.Errorf("store: %s: %w: a snapshot of slot %d, and no register", dir, ErrForgot, slot)
	case first > max(s.state.first, 1):
		return fmt.Errorf("store: %s: %w: the log begins with #%d, and the register says that it has #%d", dir, ErrForgot, first, max(s.state.first, 1))
	case s.state.floor > slot+1:
		err := fmt.Errorf("store: %s: %w: the log was cut below slot %d, the newest good snapshot is of slot %d", dir, ErrUncovered, s.state.floor, slot)
		for _, b := range s.snapshots.files.Bad() {
			err = errors.Join(err, b.Err)
		}
		return err
	}
	return nil
}

func handleOut(h paxos.Handle) snapshot.Handle {
	out := snapshot.Handle{
		Slot:   snapshot.Slot(h.Slot),
		Ballot: snapshot.Ballot{Round: h.Ballot.Round, Node: snapshot.NodeID(h.Ballot.Node)},
		Epoch:  snapshot.Epoch(h.Epoch),
	}
	for _, m := range h.Members {
		out.Members = append(out.Members, snapshot.NodeID(m))
	}
	return out
}

func handleIn(h snapshot.Handle) paxos.Handle {
	in := paxos.Handle{
		Slot:   paxos.Slot(h.Slot),
		Ballot: paxos.Ballot{Round: h.Ballot.Round, Node: paxos.NodeID(h.Ballot.Node)},
		Epoch:  uint64(h.Epoch),
	}
	for _, m := range h.Members {
		in.Members = append(in.Members, paxos.NodeID(m))
	}
	return in
}

func idOut(id ID) snapshot.ID {
	return snapshot.ID{Handle: handleOut(id.Handle), Size: id.Size, Sum: id.Sum}
}

func idIn(id snapshot.ID) ID { return ID{Handle: handleIn(id.Handle), Size: id.Size, Sum: id.Sum} }
