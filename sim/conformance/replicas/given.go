package replicas

import (
	"slices"
	"time"

	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/driver"
	"github.com/chubbycell/chubby/sim"
)

// given is the snapshot that one life of a laggard has pieces of. Who gives it may be slow;
// it is not left for one that has another, or who has more to copy than a source gives at a
// stretch begins anew for ever, though all are alive (L1).
//
// And it takes nothing that it has not asked for since it had the last one: a piece may be
// late, and whatever comes of it is put where it belongs to nothing (L2).
type given struct {
	wants bool // it has asked for one
	id    driver.SnapshotID
	by    []paxos.NodeID // all that gave the piece which it took last; none: nobody gives anything
	at    time.Time      // the last piece came, by its own clock
	came  driver.Piece   // the latest, which it may not have taken
	from  []paxos.NodeID
	then  time.Time
}

// notLeft is for how long, in first waits of a laggard, a source is not left that has given
// something: two waits for it, two for others, each twice as long as the last.
const notLeft = 1 + 2 + 4 + 8

// hears is told of what another host says.
func (s *given) hears(now time.Time, from paxos.NodeID, m driver.Transfer) {
	switch m := m.(type) {
	case driver.Piece:
		if !m.ID.Equal(s.came.ID) || m.Offset != s.came.Offset {
			s.from = nil
		}
		s.came, s.from, s.then = m, append(s.from, from), now
	case driver.Gone:
		if slices.Contains(s.by, from) && m.ID.Equal(s.id) {
			s.by = nil
		}
	}
}

// takes is told of a job of the bulk lane: what is put was taken.
func (s *given) takes(w *sim.World, id paxos.NodeID, j driver.BulkJob) {
	p, puts := j.(driver.PutJob)
	if !puts {
		return
	}
	if !s.wants {
		w.Break("L2", "replica %d puts away a piece of a snapshot after slot %d, and has asked for none", id, p.Piece.ID.Handle.Slot)
	}
	if p.Piece.Offset == s.came.Offset && p.Piece.ID.Equal(s.came.ID) {
		s.id, s.by, s.at = p.Piece.ID, s.from, s.then
	}
}

// ends is told what became of a job of the bulk lane: a transfer may fail, or be over.
func (s *given) ends(result driver.BulkResult) {
	if d, puts := result.(driver.PutDone); puts && (d.Err != nil || d.Rows != nil) {
		s.by, s.wants = nil, s.wants && d.Rows == nil
	}
}

// applied is told how far the log is: records may overtake a transfer.
func (s *given) applied(upto paxos.Slot) {
	if upto >= s.id.Handle.Slot {
		s.by = nil
	}
}

// gives says that somebody does, as far as is known here.
func (s *given) gives() bool { return len(s.by) > 0 }

// asks is told of a question that leaves.
func (s *given) asks(w *sim.World, id, to paxos.NodeID, now time.Time, m driver.Ask, pause time.Duration) {
	s.wants = true
	if !s.gives() || !m.ID.IsZero() {
		return
	}
	if silent := now.Sub(s.at); silent < notLeft*pause {
		w.Break("L1", "replica %d begins anew with a snapshot of replica %d, %v after replica %d gave it a piece of one, which it has not said is gone; it waits %v before it asks again",
			id, to, silent, s.by[0], pause)
	}
	s.by = nil
}
