package replicas

import (
	"time"

	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/sim"
)

// silence is what a leader hears of the others, by the clock that it goes by: the
// answers that came to it while it led. One that gives up because a quorum is silent,
// while a quorum with itself is not, costs all sessions a fail-over for nothing, again
// and again: it will be elected once more.
type silence struct {
	heard map[paxos.NodeID]time.Time // since it leads; nil: it does not
	began time.Time
	lost  uint64 // times that it gave up for that
}

// leads is told that a replica begins to lead.
func (s *silence) leads(now time.Time) { s.heard, s.began = map[paxos.NodeID]time.Time{}, now }

// listens says that it leads, as far as is known here.
func (s *silence) listens() bool { return s.heard != nil }

// hears is told of a message that comes to a replica before it takes it: an answer to
// what it asked at its present ballot in this life counts.
func (s *silence) hears(now time.Time, leader paxos.Status, from paxos.NodeID, m paxos.Message) {
	if leader.Role != paxos.Leader {
		return
	}
	var to paxos.Ballot
	var boot paxos.Boot
	switch m := m.(type) {
	case paxos.Accepted:
		to, boot = m.Ballot, m.Boot
	case paxos.HeartbeatReply:
		to, boot = m.Ballot, m.Boot
	}
	if to == leader.Ballot && boot == leader.Boot {
		s.heard[from] = now
	}
}

// acts is told what has become of a replica: if it has given up for the silence of a
// quorum, no quorum of n members, itself among them, may have been heard within limit
// (L1).
func (s *silence) acts(w *sim.World, now time.Time, members int, limit time.Duration, r paxos.Status) {
	gaveUp := r.Count.QuorumLost > s.lost
	s.lost = r.Count.QuorumLost
	if !gaveUp {
		if r.Role != paxos.Leader {
			s.heard = nil
		}
		return
	}
	heard := 1
	for i := range members {
		id := paxos.NodeID(i + 1)
		at, answered := s.heard[id]
		if !answered {
			at = s.began
		}
		if id != r.ID && now.Sub(at) <= limit {
			heard++
		}
	}
	if heard > members/2 {
		w.Break("L1", "replica %d gives up leading because a quorum is silent, and has heard %d of %d, itself among them, within %v",
			r.ID, heard, members, limit)
	}
	s.heard = nil
}
