package agreement

import (
	"bytes"
	"slices"
	"strings"

	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/disk/store"
	"github.com/chubbycell/chubby/sim/damage"
	"github.com/chubbycell/chubby/sim/ondisk"
	"github.com/chubbycell/chubby/wal/vfs"
)

// rotCounts count what came of damage to the disks.
type rotCounts struct {
	Unreadable int // votes that came back without their value
	Unlearned  int // learned values that did not come back
	Recast     int // votes without their value that were cast again at the same ballot
	Restored   int // of both, those that were applied in the end
	Repaired   int // copies of registers written anew on a damaged disk
	Stopped    int // replicas that refused their store
}

// Rot compares what damaged disks give back, and what their replicas say of it (S17), and
// holds those that nothing has damaged to have none.
type Rot struct {
	*truth
	rotCounts
}

// maxAhead is farther than a vote that reached a disk untold can be ahead of all
// that were told.
const maxAhead = 1 << 16

// givenBack compares the votes and learned values that a disk gave back with what
// it had said it kept (S3, S17), and returns the last vote of each slot. A vote
// may come back without its value, and then counts as what it was; it may not be
// missing, unless below the floor of the log, which resumes has looked at, nor be
// another.
func (h *Rot) givenBack(id paxos.NodeID, rec paxos.Recovered) votes {
	d := &h.Disks[id]
	d.missing, d.lost = map[paxos.Slot]bool{}, map[paxos.Slot]paxos.Ballot{}
	last := make(votes, len(d.votes))
	for _, r := range rec.Records {
		if s := paxos.HighestSlot(r); s > paxos.Slot(len(h.Slots))+maxAhead {
			h.world.Break(h.broken(id, "S3"), "replica %d: the disk gives back %v, and slots up to %d were told to any", id, r, len(h.Slots))
			return last
		}
		switch r := r.(type) {
		case paxos.Voted:
			last.put(r)
			if !r.Ballot.Less(d.lost[r.Slot]) {
				delete(d.lost, r.Slot)
			}
		case paxos.Unreadable:
			h.Unreadable++
			d.missing[r.Slot] = true
			if was, ok := last.at(r.Slot); !ok || was.Ballot.Less(r.Ballot) {
				d.lost[r.Slot] = r.Ballot
			}
			last.put(paxos.Voted{Slot: r.Slot, Ballot: r.Ballot, Value: h.Slot(r.Slot).votedAt(r.Ballot)})
		case paxos.Unlearned:
			h.Unlearned++
			d.missing[r.Slot] = true
		case paxos.Learned:
			delete(d.missing, r.Slot)
			if f := h.Slot(r.Slot); !f.chosen || f.value != r.Value {
				h.world.Break(h.broken(id, "S1"), "replica %d: the disk gives back %v as chosen in slot %d, where %v was (%v)", id, r.Value, r.Slot, f.value, f.chosen)
			}
		}
	}
	for s := paxos.Slot(1); s < paxos.Slot(len(h.Slots)); s++ {
		was, voted := d.votes.at(s)
		now, has := last.at(s)
		if voted && !has && s < rec.Floor { // a snapshot stands in for it
			last.put(was)
			continue
		}
		switch {
		case voted && (!has || now.Ballot.Less(was.Ballot)):
			h.world.Break(h.broken(id, "S3"), "replica %d lost its vote at %v in slot %d: the disk gives back %v", id, was.Ballot, s, now.Ballot)
		case voted && now.Ballot == was.Ballot && now.Value != was.Value:
			h.world.Break(h.broken(id, "S3"), "replica %d slot %d ballot %v: voted for %v, the disk gives back %v", id, s, was.Ballot, was.Value, now.Value)
		}
	}
	return last
}

// Reported checks what a store says of damage (S17): a disk that nothing has
// damaged has none.
func (h *Rot) Reported(id paxos.NodeID, report store.Report) {
	if n := len(report.Damaged); n > 0 && !h.Budget.IsHurt(id) {
		h.world.Break("S17", "replica %d reports %d unreadable records of a disk that nothing has damaged, the first in %s at %d",
			id, n, report.Damaged[0].File, report.Damaged[0].Offset)
	}
	if h.Budget.IsHurt(id) {
		h.Repaired += len(report.Repaired)
	}
	if h.Budget.IsDead(id) && !h.Budget.Rises(id) {
		h.world.Break("S17", "replica %d refused its damaged store, and opens it now: %v", id, report)
	}
}

// restored notes that a value which a disk had lost has come back from others.
func (h *Rot) restored(id paxos.NodeID, s paxos.Slot) {
	if d := &h.Disks[id]; d.missing[s] {
		delete(d.missing, s)
		h.Restored++
	}
}

// OnMended looks at the registers of a store that has just been opened: both copies hold
// the same, on the disk, whatever was found. If one is left behind, what the other one
// has stands in one place only, and rot brings back what was before (S17). On a damaged
// disk the next write of one may have gone astray. A manifest may have had more sectors
// once than are written now, of which the disk need not have any.
func (h *Rot) OnMended(id paxos.NodeID, mem *vfs.Mem) {
	if h.Budget.IsHurt(id) {
		return
	}
	for _, name := range damage.Registers {
		a, first, good := ondisk.Copy(mem, name+ondisk.Copies[0])
		b, second, also := ondisk.Copy(mem, name+ondisk.Copies[1])
		if good != also || good && (first != second || !bytes.Equal(a, b)) {
			h.world.Break("S17", "replica %d opens its store, and the copies of %s differ: version %d (%v) and %d (%v)", id, name, first, good, second, also)
		}
	}
	for _, f := range mem.Files() {
		if f.Unsynced > 0 && strings.HasPrefix(f.Name, damage.Registers[0]) {
			h.world.Break("S17", "replica %d opens its store, and %s is not on the disk", id, f.Name)
		}
	}
}

// OnVouched is told that a replica has written its promise register, with these records, and
// up to where that says that the log was synced: all that was by then, or rot of that, in a
// log that works on and is not marked, would be cut in silence (S17).
func (h *Rot) OnVouched(id paxos.NodeID, records []paxos.Record, mem *vfs.Mem) {
	if !slices.ContainsFunc(records, inRegister) || h.Budget.IsHurt(id) {
		return
	}
	value, _ := ondisk.Register(mem, damage.Registers[0])
	if says := ondisk.ReadPromise(value).Synced; says < uint64(h.Disks[id].Lsn) {
		h.world.Break("S17", "replica %d has written its promise register, which says that all up to #%d was synced, and all up to #%d was", id, says, h.Disks[id].Lsn)
	}
}

// inRegister says that a record stands in the promise register as well.
func inRegister(r paxos.Record) bool {
	switch r.(type) {
	case paxos.Booted, paxos.Promised:
		return true
	}
	return false
}
