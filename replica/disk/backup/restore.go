package backup

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/chubbycell/chubby/db"
	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/disk/store"
	"github.com/chubbycell/chubby/replica/state/command"
	"github.com/chubbycell/chubby/replica/state/rows"
	"github.com/chubbycell/chubby/wal/vfs"
)

// Restoration is what the new cell has that the old one had not.
type Restoration struct {
	Members []paxos.NodeID // in any order; those of the old cell or others
	Secret  [32]byte       // from a strong random source
	Nonce   api.Nonce      // the same
	Lease   time.Duration  // the longest session lease that the old cell was configured to grant
	// Made is when the new cell is made, by the calendar. The zero Time: not known. Of two cells that are made
	// of one backup, or of backups of one cell, the later one begins above the numbers of the other: a resource
	// may have seen sequencers of both.
	Made time.Time
}

// floorFrom and floorUntil bound the times that count. Outside of them the clock is wrong. In between, all
// numbers fit into the 53 bits that programs without 64-bit integers read.
var (
	floorFrom  = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	floorUntil = floorFrom.AddDate(100, 0, 0)
)

// floorRate is how many numbers are left for each second between two cells: far more than one gives out.
const floorRate = 1 << 21

// floor returns the number that those of the new cell are not below.
func (r Restoration) floor() uint64 {
	if r.Made.Before(floorFrom) || r.Made.After(floorUntil) {
		return 0
	}
	return uint64(r.Made.Sub(floorFrom)/time.Second) * floorRate
}

// Validate returns all faults at once, joined, or nil.
func (r Restoration) Validate() error {
	var faults []error
	fault := func(bad bool, format string, args ...any) {
		if bad {
			faults = append(faults, fmt.Errorf("restore: "+format, args...))
		}
	}
	ids := slices.Sorted(slices.Values(r.Members))
	fault(len(ids) == 0, "no members")
	fault(len(ids) > paxos.MaxMembers, "%d members; at most %d", len(ids), paxos.MaxMembers)
	fault(slices.Contains(ids, 0), "member 0; ids begin with 1")
	fault(len(slices.Compact(slices.Clone(ids))) < len(ids), "members %v: one comes twice", r.Members)
	fault(r.Secret == [32]byte{}, "the secret is all zeroes")
	fault(r.Nonce == api.Nonce{}, "the nonce is all zeroes")
	fault(r.Lease <= 0 || r.Lease > api.MaxLease, "a lease of %v; above 0, and at most %v", r.Lease, api.MaxLease)
	return errors.Join(faults...)
}

// Restored is what every replica of the new cell begins with.
type Restored struct {
	Handle paxos.Handle
	Rows   *db.DB
	Wait   time.Duration // the new cell serves after this time: the longer of Restoration.Lease and the backup's longest lease
}

// Restore makes a new cell of a backup. It changes b.Rows, so it may be called once. All
// replicas must begin with the result of one call.
func (b Backup) Restore(r Restoration) (Restored, error) {
	if err := r.Validate(); err != nil {
		return Restored{}, err
	}
	members := slices.Sorted(slices.Values(r.Members))
	floor := r.floor()
	ballot := rows.Ballot{Round: rows.Leap(b.ID.Handle.Ballot.Round, floor), Node: uint32(members[0])}
	e := command.Restore(b.Rows, command.Restoration{
		Master: uint32(members[0]), Ballot: ballot, Secret: r.Secret, Nonce: r.Nonce, Lease: r.Lease, Floor: floor,
	})
	h := paxos.Handle{
		Slot:    paxos.Slot(rows.Leap(b.ID.Handle.Slot, floor)),
		Ballot:  paxos.Ballot{Round: ballot.Round, Node: members[0]},
		Members: members,
		Epoch:   uint64(e.Number),
	}
	return Restored{Handle: h, Rows: b.Rows, Wait: rows.GetLongestLease(b.Rows)}, nil
}

// Write makes the directory of one replica (store.Restore), opens it once and compares
// what it reads with r.
func (r Restored) Write(fsys vfs.FS, dir string, o store.Options) error {
	if err := store.Restore(fsys, dir, o, r.Handle, r.Rows.View()); err != nil {
		return err
	}
	st, rec, _, err := store.Open(fsys, dir, o)
	if err != nil {
		return err
	}
	if !rec.Snapshot.Equal(r.Handle) || rec.Rows.Checksum() != r.Rows.Checksum() {
		err = fmt.Errorf("restore: %s: %w: what was written is %v", dir, store.ErrRecord, rec.Snapshot)
	}
	return errors.Join(err, st.Close())
}
