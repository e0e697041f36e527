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

// rotCounts counts the consequences of damage to disks.
type rotCounts struct {
	Unreadable int // votes that came back without their value
	Unlearned  int // learned values that did not come back
	Recast     int // votes without their value that were cast again at the same ballot
	Restored   int // of Unreadable and Unlearned, those applied in the end
	Repaired   int // copies of registers rewritten on a damaged disk
	Stopped    int // replicas that refused their store
}

// Rot checks what damaged disks give back, and what their replicas say of it (S17), and that
// a disk that nothing has damaged is reported as good.
type Rot struct {
	*truth
	rotCounts
}

// maxAhead is farther than a vote that reached a disk, without the replica being told, can be
// ahead of all others.
const maxAhead = 1 << 16

// compareVotes compares the votes and learned values that a disk gave back with what it said
// that it kept (S3, S17), and returns the last vote of each slot. A vote may come back
// without its value, and then counts as the vote that it was. A vote must not be another one,
// and must not be missing unless it is below the floor of the log, which
// Snapshots.onRecovered has checked.
func (h *Rot) compareVotes(id paxos.NodeID, rec paxos.Recovered) votes {
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
		if voted && !has && s < rec.Floor { // a snapshot replaces it
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

// Reported checks what a store says of damage (S17): a disk that nothing has damaged has
// none.
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

// noteRestored records that a value which a disk had lost has come back from others.
func (h *Rot) noteRestored(id paxos.NodeID, s paxos.Slot) {
	if d := &h.Disks[id]; d.missing[s] {
		delete(d.missing, s)
		h.Restored++
	}
}

// OnMended checks the registers of a store that has just been opened: both copies hold the
// same value, on the disk, whatever recovery found. If one copy is left behind, the other one
// is the only place of its value, and rot of it brings back the older value (S17). A damaged
// disk is exempt, since a write of one copy may have gone astray. The second check is for the
// promise register only: a manifest may once have had more sectors than it has now, and the
// rest need not be on the disk.
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

// OnVouched reports that a replica has written its promise register, for these records. The
// register states how far the log is synced, and must state all of it. Otherwise rot in a log
// that goes on without a mark would be cut in silence (S17).
func (h *Rot) OnVouched(id paxos.NodeID, records []paxos.Record, mem *vfs.Mem) {
	if !slices.ContainsFunc(records, isInRegister) || h.Budget.IsHurt(id) {
		return
	}
	value, _ := ondisk.Register(mem, damage.Registers[0])
	if says := ondisk.ReadPromise(value).Synced; says < uint64(h.Disks[id].Lsn) {
		h.world.Break("S17", "replica %d has written its promise register, which says that all up to #%d was synced, and all up to #%d was", id, says, h.Disks[id].Lsn)
	}
}

// isInRegister reports whether the promise register has the content of a record, too.
func isInRegister(r paxos.Record) bool {
	switch r.(type) {
	case paxos.Booted, paxos.Promised:
		return true
	}
	return false
}
