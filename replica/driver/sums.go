package driver

import (
	"slices"

	"github.com/chubbycell/chubby/db"
	"github.com/chubbycell/chubby/paxos"
)

// sums keeps the checksum that the rows of this replica had after each slot of which it
// still has records, for peers that ask: 16 bytes a slot, beside the value of the slot. It
// is the checksum that is kept while rows are written, so an answer costs no walk over
// the rows.
type sums struct {
	base      paxos.Slot // after is from this slot on
	after     []db.Sum   // never empty once begun
	questions []sumQuestion
}

// sumQuestion is the latest question of a peer, about a slot not applied yet, and the
// replica that it came through: the peer itself, or one that relays.
type sumQuestion struct {
	from, via paxos.NodeID
	slot      paxos.Slot
}

// begin forgets all sums: the rows are those of a snapshot, or none as of slot 0.
func (s *sums) begin(slot paxos.Slot, sum db.Sum) {
	s.base, s.after = slot, append(s.after[:0], sum)
}

// add notes the sum of the next slot.
func (s *sums) add(sum db.Sum) { s.after = append(s.after, sum) }

// top is the highest slot applied.
func (s *sums) top() paxos.Slot { return s.base + paxos.Slot(len(s.after)) - 1 }

// drop forgets the slots below.
func (s *sums) drop(below paxos.Slot) {
	if n := min(below, s.top()); n > s.base {
		s.after = slices.Delete(s.after, 0, int(n-s.base))
		s.base = n
	}
}

// ask notes a question of a peer. For each way it may come, only the latest counts.
func (s *sums) ask(from, via paxos.NodeID, slot paxos.Slot) {
	i := slices.IndexFunc(s.questions, func(w sumQuestion) bool { return w.from == from && w.via == via })
	if i < 0 {
		i, s.questions = len(s.questions), append(s.questions, sumQuestion{from: from, via: via})
	}
	s.questions[i].slot = slot
}

// answers returns the answers of this replica, self, to questions whose slot was applied
// or skipped. They go the way that the question came.
func (s *sums) answers(self paxos.NodeID) (all []outgoing) {
	later := s.questions[:0]
	for _, w := range s.questions {
		switch {
		case w.slot > s.top():
			later = append(later, w)
		case w.slot < s.base:
			all = append(all, routed(w.via, self, w.from, NoSum{Slot: w.slot}))
		default:
			all = append(all, routed(w.via, self, w.from, TellSum{Slot: w.slot, Sum: s.after[w.slot-s.base]}))
		}
	}
	s.questions = later
	return all
}

// routed is a message from one driver to another, by way of a third if via is not to.
func routed(via, from, to paxos.NodeID, m Transfer) outgoing {
	if via == to {
		return outgoing{to, m}
	}
	return outgoing{via, Relay{From: from, To: to, M: m}}
}
