package paxos

// membership answers which group governs a slot. Every quorum is asked of the
// group of its slot, through this one type, so that members can change by a
// command in the log without a change anywhere else. Today one group governs
// all slots.
type membership struct{ all *Group }

// at is the group that governs slot s.
func (m *membership) at(Slot) *Group { return m.all }

// peers calls yield with every other member that a node may have to talk to.
func (m *membership) peers(self NodeID, yield func(NodeID)) {
	for _, id := range m.all.ids {
		if id != self {
			yield(id)
		}
	}
}
