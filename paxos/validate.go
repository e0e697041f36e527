package paxos

// Invalid returns why no correct node could have sent m, or "" if one could. It judges only the
// message, not whether it fits the state of the receiver. It is called when a message arrives and,
// in deep builds, when one leaves.
func Invalid(m Message) string {
	switch m := m.(type) {
	case Prepare:
		return firstOf(invalidQuestion(m.Ballot, m.Boot), invalidSlot(m.From))
	case Promise:
		return firstOf(invalidQuestion(m.Ballot, m.Boot), invalidPage(&m), invalidSlot(m.FirstOpen))
	case Accept:
		return firstOf(invalidQuestion(m.Ballot, m.Boot), invalidSlot(m.Slot), invalidValue(m.Value))
	case Accepted:
		return firstOf(invalidQuestion(m.Ballot, m.Boot), invalidSlot(m.Slot))
	case Nack:
		if !m.Ballot.Less(m.Promised) {
			return "refused without a higher promise"
		}
		return invalidQuestion(m.Ballot, m.Boot)
	case LeaseRejection:
		if m.Left <= 0 {
			return "rejected because of a grant for no time"
		}
		return invalidQuestion(m.Ballot, m.Boot)
	case Released:
		return invalidQuestion(m.Ballot, m.Boot)
	case Chosen:
		return firstOf(invalidBallot(m.Ballot), invalidSlots(m.Slots), invalidSlot(m.Slots.To))
	case Heartbeat:
		return firstOf(invalidQuestion(m.Ballot, m.Boot), invalidSlot(m.FirstOpen), m.Lease.fault())
	case HeartbeatReply:
		return firstOf(invalidQuestion(m.Ballot, m.Boot), invalidSlot(m.FirstOpen))
	case Fetch:
		return invalidSlots(m.Slots)
	case FetchReply:
		return firstOf(invalidSlot(m.From), invalidEnd(m.From, len(m.Values)), invalidSlot(m.FirstOpen), invalidValues(m.Values))
	}
	return "unknown message"
}

func firstOf(reasons ...string) string {
	for _, r := range reasons {
		if r != "" {
			return r
		}
	}
	return ""
}

func invalidBallot(b Ballot) string {
	if b.Node == 0 {
		return "ballot without a node"
	}
	return ""
}

func invalidQuestion(b Ballot, boot Boot) string {
	if boot == 0 {
		return "boot number 0"
	}
	return invalidBallot(b)
}

func invalidSlot(s Slot) string {
	if s == 0 || s == MaxSlot {
		return "slot out of range"
	}
	return ""
}

// invalidEnd refuses slots that would begin again with 0.
func invalidEnd(from Slot, slots int) string {
	if Slot(slots) > MaxSlot-from {
		return "slot out of range"
	}
	return ""
}

func invalidSlots(r Range) string {
	if r.From == 0 || r.IsEmpty() {
		return "empty range of slots"
	}
	return ""
}

func invalidValue(v Value) string {
	if !v.Valid() {
		return "malformed value"
	}
	return ""
}

func invalidValues(vs []Value) string {
	for _, v := range vs {
		if !v.Valid() {
			return "malformed value"
		}
	}
	return ""
}

// invalidPage checks that votes are in slot order, within the page, not above the promise,
// and either readable or lost.
func invalidPage(m *Promise) string {
	if r := invalidSlots(m.Page); r != "" {
		return r
	}
	next := m.Page.From
	for i := range m.Votes {
		v := &m.Votes[i]
		switch {
		case v.Slot < next || v.Slot >= m.Page.To:
			return "vote outside its page or out of order"
		case v.Ballot.Node == 0:
			return "vote without a ballot"
		case m.Ballot.Less(v.Ballot):
			return "vote above the promise"
		case v.Lost && v.Value != Noop:
			return "lost vote with a value"
		case !v.Value.Valid():
			return "malformed value"
		}
		next = v.Slot + 1
	}
	return ""
}
