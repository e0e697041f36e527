package agreement

import "github.com/chubbycell/chubby/paxos"

// OnResumed checks that a replica begins behind all that its disk says was chosen, without
// a gap, from its snapshot on (S2): what it had applied, and could apply again, it must
// not wait for others to tell it. No other replica would miss it.
func (h *Logs) OnResumed(id paxos.NodeID, rec *paxos.Recovered, s paxos.Status) {
	if knows := known(rec); s.FirstOpen < knows {
		h.world.Break("S2", "replica %d begins with slot %d, and its disk says of all below %d what was chosen", id, s.FirstOpen, knows)
	}
}

// known is the first slot of which the records do not say what was chosen.
func known(rec *paxos.Recovered) paxos.Slot {
	first := rec.Snapshot.Slot + 1
	var slots []recordedSlot // from first on
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

// recordedSlot is what records say of a slot: that there is a vote, which can be read, and
// that it, or what was told, is what was chosen.
type recordedSlot struct{ voted, chosen bool }
