package replicas

import (
	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/core"
	"github.com/chubbycell/chubby/sim"
)

// sums is what one life of a replica has said of its rows, and heard of others'.
type sums struct {
	mine   core.SumReport
	others map[paxos.NodeID]core.SumReport
	judged bool // as they are now
}

// says notes what it says itself.
func (s *sums) says(r core.SumReport) { s.mine, s.judged = r, false }

// hears notes what another replica says. Only its latest slot counts.
func (s *sums) hears(from paxos.NodeID, r core.SumReport) {
	if s.others == nil {
		s.others = map[paxos.NodeID]core.SumReport{}
	}
	if r.Slot >= s.others[from].Slot {
		s.others[from], s.judged = r, false
	}
}

// goesOn is told that a replica has done all that it wanted, and did not stop. It
// must not go on once so many have told it of other rows that those with its own
// cannot be a majority (S6): whoever was not heard of does not matter.
func (s *sums) goesOn(w *sim.World, id paxos.NodeID, replicas int) {
	if s.judged {
		return
	}
	s.judged = true
	differ := 0
	for _, r := range s.others { // order-free: counted
		if s.mine.Slot > 0 && r.Slot == s.mine.Slot && r.Sum != s.mine.Sum {
			differ++
		}
	}
	if differ >= replicas-replicas/2 {
		w.Break("S6", "replica %d goes on, %d of %d have told it of other rows than its own after slot %d", id, differ, replicas, s.mine.Slot)
	}
}
