package cell

import "github.com/chubbycell/chubby/paxos"

// rounds are what one life of a replica knows of ballots. Who campaigns does so above all
// that it has heard of: below, whoever told it would only refuse it once more, and one
// that has fallen far behind would need as many attempts as it lacks rounds (L1).
type rounds struct {
	heard uint64       // the highest
	bid   paxos.Ballot // the latest of its own
	spoke bool         // it has said something: what it says now, it says at once
}

// mostShort is longer than any message that is looked at here.
const mostShort = 64

// hears is told of bytes from another replica before they are taken.
func (s *rounds) hears(wire string) {
	if len(wire) > mostShort {
		return
	}
	switch m, _ := paxos.DecodeMessage(wire); m := m.(type) {
	case paxos.Prepare:
		s.heard = max(s.heard, m.Ballot.Round)
	case paxos.Heartbeat:
		s.heard = max(s.heard, m.Ballot.Round)
	case paxos.Nack:
		s.heard = max(s.heard, m.Promised.Round)
	}
}

// says is told of bytes that leave. The first of a life waits for the disk: what it heard
// since it made up its mind is not to be known here.
func (s *rounds) says(h *watch, id paxos.NodeID, wire string) {
	if len(wire) > mostShort {
		return
	}
	m, _ := paxos.DecodeMessage(wire)
	p, ok := m.(paxos.Prepare)
	if !ok || !s.bid.Less(p.Ballot) {
		return
	}
	s.bid = p.Ballot
	if s.spoke && p.Ballot.Round <= s.heard {
		h.world.Break("L1", "replica %d campaigns at %v, and has heard of round %d", id, p.Ballot, s.heard)
	}
}
