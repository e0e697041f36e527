package agreement

import (
	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/disk/store"
)

// Logs compares what disks are told to keep, say that they keep, and give back: agreement
// over durable votes, and promises that never go down (S1, S2, S3).
type Logs struct {
	*truth
	rot       *Rot
	snapshots *Snapshots

	TornTails int
}

// OnAppend reports records that a disk is told to keep.
func (h *Logs) OnAppend(id paxos.NodeID, records []paxos.Record) {
	for _, r := range records {
		if p, ok := r.(paxos.Promised); ok && h.Disks[id].Begun.Less(p.Ballot) {
			h.Disks[id].Begun = p.Ballot
		}
	}
}

// OnDurable reports records that are on a disk from now on.
func (h *Logs) OnDurable(id paxos.NodeID, records []paxos.Record) {
	d := &h.Disks[id]
	for _, r := range records {
		switch r := r.(type) {
		case paxos.Booted:
			if r.Boot <= d.Boot {
				h.world.Break("S2", "replica %d begins life %d after life %d", id, r.Boot, d.Boot)
			}
			if r.Grant < d.grant {
				h.world.Break("S2", "replica %d begins life %d with a longest Grant of %v after one of %v", id, r.Boot, r.Grant, d.grant)
			}
			d.Boot, d.Noted.Boot, d.grant = r.Boot, r.Boot, r.Grant
		case paxos.Promised:
			if !d.Promise.Less(r.Ballot) {
				h.world.Break("S2", "replica %d promises %v after %v", id, r.Ballot, d.Promise)
			}
			d.Promise, d.Noted.Promise = r.Ballot, r.Ballot
			h.attempt(r.Ballot).promised(id)
		case paxos.Voted:
			h.onVoted(id, r)
		case paxos.Learned:
			h.checkLearned(id, r.Slot, r.Value)
		case paxos.Settled:
			for s := r.Slots.From; s < r.Slots.To; s++ {
				v, _ := d.votes.at(s)
				h.checkLearned(id, s, v.Value)
			}
		}
	}
}

// checkLearned checks a value that a disk was told is chosen: a restarted replica would
// believe it.
func (h *Logs) checkLearned(id paxos.NodeID, s paxos.Slot, v paxos.Value) {
	if f := h.Slot(s); !f.chosen || f.value != v {
		h.world.Break("S1", "replica %d notes on its disk that %v was chosen in slot %d, where %v was (%v)", id, v, s, f.value, f.chosen)
	}
}

// onVoted counts a durable vote, and checks S1 over the disks of all replicas.
func (h *Logs) onVoted(id paxos.NodeID, v paxos.Voted) {
	d := &h.Disks[id]
	if d.Promise.Less(v.Ballot) {
		h.world.Break("S2", "replica %d votes at %v in slot %d with only %v promised on its disk", id, v.Ballot, v.Slot, d.Promise)
	}
	if old, ok := d.votes.at(v.Slot); ok && v.Ballot.Less(old.Ballot) {
		h.world.Break("S2", "replica %d votes at %v in slot %d after a vote at %v", id, v.Ballot, v.Slot, old.Ballot)
	}
	d.votes.put(v)
	if b, lost := d.lost[v.Slot]; lost && b == v.Ballot {
		h.rot.Recast++
	}
	delete(d.lost, v.Slot)
	f := h.Slot(v.Slot)
	b := f.at(v)
	if b.value != v.Value {
		h.world.Break("S1", "slot %d ballot %v carries two values: %v, and %v at replica %d", v.Slot, v.Ballot, b.value, v.Value, id)
	}
	if f.chosen && !v.Ballot.Less(f.ballot) && v.Value != f.value {
		h.world.Break("S1", "slot %d: %v was chosen at ballot %v, and replica %d votes for %v at %v", v.Slot, f.value, f.ballot, id, v.Value, v.Ballot)
	}
	if bit := uint64(1) << id; b.who&bit == 0 {
		b.who |= bit
		b.count++
	}
	if b.count < h.Quorum {
		return
	}
	switch {
	case !f.chosen:
		f.chosen, f.ballot, f.value = true, v.Ballot, v.Value
		h.checkLaterVotes(v.Slot, f)
	case f.value != v.Value:
		h.world.Break("S1", "slot %d: %v chosen at ballot %v, %v chosen at %v", v.Slot, f.value, f.ballot, v.Value, v.Ballot)
	case v.Ballot.Less(f.ballot):
		f.ballot = v.Ballot
		h.checkLaterVotes(v.Slot, f)
	}
}

// checkLaterVotes checks the votes that existed when a quorum was reached: no vote above its
// ballot may have another value.
func (h *Logs) checkLaterVotes(s paxos.Slot, f *slotFacts) {
	for _, b := range f.ballots {
		if f.ballot.Less(b.ballot) && b.value != f.value {
			h.world.Break("S1", "slot %d: %v is chosen at ballot %v with a vote for %v at %v", s, f.value, f.ballot, b.value, b.ballot)
		}
	}
}

// OnRecovered compares what a disk gave back with what it said that it kept (S2, S3). It also
// counts votes that reached the disk although no replica was told.
func (h *Logs) OnRecovered(id paxos.NodeID, rec store.Recovered, report store.Report) {
	d := &h.Disks[id]
	if rec.Boot < d.Boot {
		h.world.Break("S2", "replica %d comes back in life %d after life %d", id, rec.Boot, d.Boot)
	}
	if rec.Grant < d.grant {
		h.world.Break("S2", "replica %d comes back with a longest Grant of %v, its disk had %v", id, rec.Grant, d.grant)
	}
	if rec.Promise.Less(d.Promise) {
		h.world.Break("S2", "replica %d comes back with promise %v, its disk had %v", id, rec.Promise, d.Promise)
	}
	d.Boot, d.grant, d.Promise, d.Begun, d.gone = rec.Boot, rec.Grant, rec.Promise, rec.Promise, false
	h.attempt(rec.Promise).promised(id)
	if report.Torn != nil {
		h.TornTails++
	}
	h.rot.Reported(id, report)
	h.snapshots.onRecovered(id, rec, report)
	if end := max(rec.Next, 1) - 1; end < d.Lsn {
		h.world.Break(h.broken(id, "S3"), "replica %d: its log ends with #%d, and was synced up to #%d", id, end, d.Lsn)
	}
	d.Lsn = max(rec.Next, 1) - 1
	d.Stray, d.rot = false, 0 // the rows come from the log again
	last := h.rot.compareVotes(id, rec.Recovered)
	for _, r := range rec.Records {
		v, ok := r.(paxos.Voted)
		if !ok {
			continue
		}
		now, _ := last.at(v.Slot)
		if was, _ := d.votes.at(v.Slot); now == v && was != v {
			h.onVoted(id, v)
		}
	}
	d.votes = last
}

// OnStarted checks that the node took over what its disk holds.
func (h *Logs) OnStarted(id paxos.NodeID, s paxos.Status) {
	h.Disks[id].questions = questions{}
	if d := &h.Disks[id]; s.Promised.Less(d.Promise) {
		h.world.Break("S2", "replica %d starts with promise %v, its disk has %v", id, s.Promised, d.Promise)
	}
	if d := &h.Disks[id]; s.Floor > d.snapshot+1 {
		h.world.Break("S3", "replica %d starts without the votes below %d, its snapshot is of slot %d", id, s.Floor, d.snapshot)
	}
	h.snapshots.checkReach(id, s.Floor)
	for slot := s.VotesEnd; slot < paxos.Slot(len(h.Disks[id].votes)); slot++ {
		if v, voted := h.Disks[id].votes.at(slot); voted {
			h.world.Break("S3", "replica %d starts without its vote at %v in slot %d", id, v.Ballot, slot)
			return
		}
	}
}

// OnSynced reports up to where a log is durable.
func (h *Logs) OnSynced(id paxos.NodeID, upto paxos.LSN) {
	h.Disks[id].Lsn = max(h.Disks[id].Lsn, upto)
}

// OnMarked reports that a log has written a mark, and the watermark that its bytes now state.
// The mark must cover all that was synced, or rot at the end of the log would be cut in
// silence (S17). The bytes of a damaged disk may state anything.
func (h *Logs) OnMarked(id paxos.NodeID, says uint64) {
	d := &h.Disks[id]
	if says < uint64(d.Lsn) && !h.Budget.IsHurt(id) {
		h.world.Break("S17", "replica %d has marked its log, which says that all up to #%d was synced, and all up to #%d was", id, says, d.Lsn)
	}
	d.Mark = d.Lsn
}
