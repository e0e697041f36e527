package replicas

import (
	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/sim"
)

// rounds are what one life of a replica knows of ballots. Who campaigns does so above all
// that it has heard of: below, whoever told it would only refuse it once more, and one
// that has fallen far behind would need as many attempts as it lacks rounds (L1).
type rounds struct {
	heard uint64       // the highest
	bid   paxos.Ballot // the latest of its own
	held  bool         // words of it wait for the disk: what leaves next may be of before
}

// hears is told of a message from another replica before it is taken.
func (s *rounds) hears(m paxos.Message) {
	switch m := m.(type) {
	case paxos.Prepare:
		s.heard = max(s.heard, m.Ballot.Round)
	case paxos.Heartbeat:
		s.heard = max(s.heard, m.Ballot.Round)
	case paxos.Nack:
		s.heard = max(s.heard, m.Promised.Round)
	}
}

// acted is told at the end of a step how many messages wait for the disk.
func (s *rounds) acted(waiting int) { s.held = waiting > 0 }

// says is told of a message that leaves. What waited for the disk was made up before:
// what was heard since then is not in it, and nobody here knows what that is.
func (s *rounds) says(w *sim.World, id paxos.NodeID, m paxos.Message) {
	p, ok := m.(paxos.Prepare)
	if !ok || !s.bid.Less(p.Ballot) {
		return
	}
	s.bid = p.Ballot
	if !s.held && p.Ballot.Round <= s.heard {
		w.Break("L1", "replica %d campaigns at %v, and has heard of round %d", id, p.Ballot, s.heard)
	}
}
