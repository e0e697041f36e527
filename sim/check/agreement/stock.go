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

// stock is the snapshots of one disk, by what its replica knows of them: which are durable,
// and which of these its present life has found bad. Rot that it has not met is no matter of
// the stock.
type stock struct {
	good []paxos.Slot // ascending
	bad  map[paxos.Slot]bool
	// covered is the highest slot that two snapshots have held at one time of this life, of
	// which neither was found bad then. A replica that has decided to drop what they hold
	// may find one of them bad before the log is cut.
	covered paxos.Slot
}

// add is told of a snapshot that is durable from now on.
func (s *stock) add(slot paxos.Slot) {
	delete(s.bad, slot)
	if i, there := slices.BinarySearch(s.good, slot); !there {
		s.good = slices.Insert(s.good, i, slot)
	}
	s.covered = max(s.covered, s.pair())
}

// spoil is told of one that was found bad.
func (s *stock) spoil(slot paxos.Slot) {
	if s.bad == nil {
		s.bad = map[paxos.Slot]bool{}
	}
	s.bad[slot] = true
	s.drop(slot)
}

// drop is told of one whose file was removed.
func (s *stock) drop(slot paxos.Slot) {
	s.good = slices.DeleteFunc(s.good, func(have paxos.Slot) bool { return have == slot })
}

// begin is told with which snapshot a life begins, and which it found bad.
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

// pair is the slot of the newest good snapshot but one, 0 if there is none: up to there, two
// of them hold what the log need not.
func (s *stock) pair() paxos.Slot {
	if n := len(s.good); n >= 2 {
		return s.good[n-2]
	}
	return 0
}

// OnSnapshotsFound is told what the disk of a replica has as its life begins: what it has not
// reported as bad it has found good.
func (h *Snapshots) OnSnapshotsFound(id paxos.NodeID, mem *vfs.Mem) {
	d := &h.Disks[id]
	for _, f := range mem.Files() {
		if slot, ok := damage.SnapshotIn(f.Name); ok && slot < d.snapshot && !d.stock.bad[slot] {
			d.stock.add(slot)
		}
	}
}

// OnUnreadable is told that a replica could not read a snapshot of its own, and why. That
// a call failed once may be another matter than rot.
func (h *Snapshots) OnUnreadable(id paxos.NodeID, s driver.SnapshotID, err error) {
	if errors.Is(err, snapshot.ErrDamaged) && !errors.Is(err, vfs.ErrIO) {
		h.Disks[id].stock.spoil(s.Handle.Slot)
		h.Spoilt++
	}
}

// OnRemoved is told that a replica has removed a file. Once its log has dropped something, a
// snapshot that is good may go when there are two newer ones that are: one of them may
// rot, and what the log lacks is in the other one. One that was found bad is none of
// them (S3).
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

// givesAway demands of a piece of a snapshot that a replica gives away that it has not found
// that snapshot bad (S17): a replica that fetches it does so in vain, time and again.
func (h *Snapshots) givesAway(id paxos.NodeID, p driver.Piece) {
	if slot := p.ID.Handle.Slot; h.Disks[id].stock.bad[slot] {
		h.world.Break("S17", "replica %d gives away bytes from %d on of its snapshot of slot %d, which it has found bad", id, p.Offset, slot)
	}
}
