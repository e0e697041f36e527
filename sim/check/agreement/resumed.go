package agreement

import "github.com/chubbycell/chubby/paxos"

// OnResumed checks that a replica starts after all slots that its disk says are chosen, from
// its snapshot on and without a gap (S2). It must not wait until others tell it what it could
// apply by itself. No other replica would notice.
func (h *Logs) OnResumed(id paxos.NodeID, rec *paxos.Recovered, s paxos.Status) {
	if knows := known(rec); s.FirstOpen < knows {
		h.world.Break("S2", "replica %d begins with slot %d, and its disk says of all below %d what was chosen", id, s.FirstOpen, knows)
	}
}

// known returns the first slot for which the records do not say what was chosen.
func known(rec *paxos.Recovered) paxos.Slot {
	first := rec.Snapshot.Slot + 1
	var slots []recordedSlot // indexed from first on
	at := func(s paxos.Slot) *recordedSlot {
		if s < first {
			return &recordedSlot{}
		}
		for s >= first+paxos.Slot(len(slots)) {
			slots = append(slots, recordedSlot{})
		}
		return &slots[s-first]
	}
	for _, r := range rec.Records {
		switch r := r.(type) {
		case paxos.Voted:
			at(r.Slot).voted = true
		case paxos.Unreadable:
			at(r.Slot).voted = false
		case paxos.Unlearned:
			at(r.Slot).chosen = false
		case paxos.Learned:
			at(r.Slot).chosen = true
		case paxos.Settled:
			for s := max(first, r.Slots.From); s < r.Slots.To; s++ {
				x := at(s)
				x.chosen = x.chosen || x.voted
			}
		}
	}
	for i := range slots {
		if !slots[i].chosen {
			return first + paxos.Slot(i)
		}
	}
	return first + paxos.Slot(len(slots))
}

// recordedSlot is what the records say of a slot: that they have a readable vote, and that
// the vote, or a learned value, is chosen.
type recordedSlot struct{ voted, chosen bool }
