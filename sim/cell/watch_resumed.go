package cell

import "github.com/chubbycell/chubby/paxos"

// resumed checks that a replica begins behind all that its disk says was chosen, without
// a gap, from its snapshot on (S2): what it had applied, and could apply again, it must
// not wait for others to tell it. Nobody else would miss it: they tell it gladly.
func (h *watch) resumed(id paxos.NodeID, rec *paxos.Recovered, s paxos.Status) {
	if knows := known(rec); s.FirstOpen < knows {
		h.world.Break("S2", "replica %d begins with slot %d, and its disk says of all below %d what was chosen", id, s.FirstOpen, knows)
	}
}

// known is the first slot of which the records do not say what was chosen.
func known(rec *paxos.Recovered) paxos.Slot {
	voted, chosen := map[paxos.Slot]bool{}, map[paxos.Slot]bool{}
	for _, r := range rec.Records {
		switch r := r.(type) {
		case paxos.Voted:
			voted[r.Slot] = true
		case paxos.Unreadable:
			delete(voted, r.Slot)
		case paxos.Unlearned:
			delete(chosen, r.Slot)
		case paxos.Learned:
			chosen[r.Slot] = true
		case paxos.Settled:
			for s := r.Slots.From; s < r.Slots.To; s++ {
				chosen[s] = chosen[s] || voted[s]
			}
		}
	}
	first := rec.Snapshot.Slot + 1
	for chosen[first] {
		first++
	}
	return first
}
