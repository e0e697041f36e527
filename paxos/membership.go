package paxos

// membership knows which group governs a slot. Every count of a quorum gets the group of its slot
// from this one type. A command in the log could therefore change the members without a change to
// any other part. Today one group governs all slots.
type membership struct{ all *Group }

// at returns the group that governs slot s.
func (m *membership) at(Slot) *Group { return m.all }

// peers calls yield with every member but self.
func (m *membership) peers(self NodeID, yield func(NodeID)) {
	for _, id := range m.all.ids {
		if id != self {
			yield(id)
		}
	}
}
