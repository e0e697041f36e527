package agreement

import "github.com/chubbycell/chubby/paxos"

// votes holds the last vote of one disk in each slot. Slots have few gaps, so a slice
// suffices; a zero ballot is no vote.
type votes []paxos.Voted

// at returns the vote in a slot, and whether there is one.
func (v votes) at(s paxos.Slot) (paxos.Voted, bool) {
	if s >= paxos.Slot(len(v)) {
		return paxos.Voted{}, false
	}
	return v[s], !v[s].Ballot.IsZero()
}

// put replaces the vote in the slot that x is for.
func (v *votes) put(x paxos.Voted) {
	for paxos.Slot(len(*v)) <= x.Slot {
		*v = append(*v, paxos.Voted{})
	}
	(*v)[x.Slot] = x
}
