package agreement

import (
	"errors"
	"slices"

	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/disk/store"
	"github.com/chubbycell/chubby/replica/driver"
	"github.com/chubbycell/chubby/sim/damage"
	"github.com/chubbycell/chubby/snapshot"
	"github.com/chubbycell/chubby/wal/vfs"
)

// stock is the set of snapshots on one disk, as its replica knows them: which are durable,
// and which of these its present life has found bad. Rot that the replica has not met does
// not count.
type stock struct {
	good []paxos.Slot // ascending
	bad  map[paxos.Slot]bool
	// covered is the highest slot that two snapshots held at one time of this life, when
	// neither was known to be bad. A replica that has decided to drop what they hold may find
	// one of them bad before the log is cut.
	covered paxos.Slot
}

// add takes in a snapshot that is durable from now on.
func (s *stock) add(slot paxos.Slot) {
	delete(s.bad, slot)
	if i, there := slices.BinarySearch(s.good, slot); !there {
		s.good = slices.Insert(s.good, i, slot)
	}
	s.covered = max(s.covered, s.pair())
}

// spoil takes in that a snapshot was found bad.
func (s *stock) spoil(slot paxos.Slot) {
	if s.bad == nil {
		s.bad = map[paxos.Slot]bool{}
	}
	s.bad[slot] = true
	s.drop(slot)
}

// drop takes in that a snapshot's file was removed.
func (s *stock) drop(slot paxos.Slot) {
	s.good = slices.DeleteFunc(s.good, func(have paxos.Slot) bool { return have == slot })
}

// begin takes in with which snapshot a life begins, and which ones it found bad.
func (s *stock) begin(slot paxos.Slot, report store.Report) {
	s.bad, s.covered = nil, 0
	for _, b := range report.Bad {
		if b.Slot > 0 {
			s.spoil(paxos.Slot(b.Slot))
		}
	}
	s.good = slices.DeleteFunc(s.good, func(have paxos.Slot) bool { return have > slot })
	if slot > 0 {
		s.add(slot)
	}
}

// pair returns the slot of the second newest good snapshot, or 0: two snapshots hold what the
// log has up to there.
func (s *stock) pair() paxos.Slot {
	if n := len(s.good); n >= 2 {
		return s.good[n-2]
	}
	return 0
}

// OnSnapshotsFound takes in what the disk of a replica has when a life begins: snapshots that
// it has not reported as bad it has found good.
func (h *Snapshots) OnSnapshotsFound(id paxos.NodeID, mem *vfs.Mem) {
	d := &h.Disks[id]
	for _, f := range mem.Files() {
		if slot, ok := damage.SnapshotIn(f.Name); ok && slot < d.snapshot && !d.stock.bad[slot] {
			d.stock.add(slot)
		}
	}
}

// OnUnreadable reports that a replica could not read a snapshot of its own, and why. A call
// that failed once need not mean rot.
func (h *Snapshots) OnUnreadable(id paxos.NodeID, s driver.SnapshotID, err error) {
	if errors.Is(err, snapshot.ErrDamaged) && !errors.Is(err, vfs.ErrIO) {
		h.Disks[id].stock.spoil(s.Handle.Slot)
		h.Spoilt++
	}
}

// OnRemoved reports that a replica has removed a file. Once its log has dropped something, a
// good snapshot may be removed only if two newer good ones exist: one of them may rot, and
// the other then has what the log lacks. A snapshot that was found bad does not count (S3).
func (h *Snapshots) OnRemoved(id paxos.NodeID, file string) {
	slot, ok := damage.SnapshotIn(file)
	d := &h.Disks[id]
	i, good := slices.BinarySearch(d.stock.good, slot)
	if !ok || !good {
		return
	}
	if newer := d.stock.good[i+1:]; d.cut > 0 && len(newer) < 2 {
		h.world.Break("S3", "replica %d removes its snapshot of slot %d, the newer ones that it has not found bad are of slots %v", id, slot, newer)
	}
	d.stock.drop(slot)
}

// checkPiece requires of a piece that a replica sends to a peer that the replica has not
// found its snapshot bad (S17): the peer would fetch it in vain, again and again.
func (h *Snapshots) checkPiece(id paxos.NodeID, p driver.Piece) {
	if slot := p.ID.Handle.Slot; h.Disks[id].stock.bad[slot] {
		h.world.Break("S17", "replica %d gives away bytes from %d on of its snapshot of slot %d, which it has found bad", id, p.Offset, slot)
	}
}
