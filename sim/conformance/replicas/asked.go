package replicas

import (
	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/driver"
	"github.com/chubbycell/chubby/sim"
)

// asked is what one life of a replica owes to others who have asked it something: values
// of the log, a piece of a snapshot, the sum of its rows; and what it is to pass on. Who is
// not answered asks again, or somebody else: nothing else shows that he was forgotten (L1).
type asked struct {
	fetches map[paxos.NodeID]int
	pieces  map[paxos.NodeID]bool
	sums    map[way]paxos.Slot // the latest question of each way
	passing []passed
	reads   bool // its bulk lane is busy
}

// way is whose question it is, and whom it came through.
type way struct{ from, via paxos.NodeID }

// passed is what goes by way of this replica.
type passed struct {
	to paxos.NodeID
	m  driver.Relay
}

func newAsked() asked {
	return asked{fetches: map[paxos.NodeID]int{}, pieces: map[paxos.NodeID]bool{}, sums: map[way]paxos.Slot{}}
}

// hears is told of a message that the replica takes.
func (s *asked) hears(from paxos.NodeID, m paxos.Message) {
	if _, ok := m.(paxos.Fetch); ok {
		s.fetches[from]++
	}
}

// hearsTransfer is told of what another host says.
func (s *asked) hearsTransfer(self, from paxos.NodeID, m driver.Transfer) {
	switch m := m.(type) {
	case driver.Ask:
		s.pieces[from] = true
	case driver.AskSum:
		s.sums[way{from, from}] = m.Slot
	case driver.Relay:
		if q, ok := m.M.(driver.AskSum); ok && m.To == self && m.From != from {
			s.sums[way{m.From, from}] = q.Slot
		}
		if m.From == from && m.To != self {
			s.passing = append(s.passing, passed{m.To, m})
		}
	}
}

// owes says that it does, and wants to be told what leaves.
func (s *asked) owes() bool { return len(s.fetches)+len(s.pieces)+len(s.sums)+len(s.passing) > 0 }

// says is told of bytes that leave.
func (s *asked) says(self, to paxos.NodeID, wire string) {
	if !driver.IsTransfer(wire) {
		if m, err := paxos.DecodeMessage(wire); err == nil {
			if _, ok := m.(paxos.FetchReply); ok {
				if s.fetches[to]--; s.fetches[to] <= 0 {
					delete(s.fetches, to)
				}
			}
		}
		return
	}
	m, _ := driver.DecodeTransfer(wire)
	switch m := m.(type) {
	case driver.Piece, driver.Gone:
		delete(s.pieces, to)
	case driver.Relay:
		if m.From == self {
			s.tells(way{m.To, to}, m.M)
		} else {
			s.passes(passed{to, m})
		}
	default:
		s.tells(way{to, to}, m)
	}
}

func (s *asked) tells(w way, m driver.Transfer) {
	switch m := m.(type) {
	case driver.TellSum:
		s.told(w, m.Slot)
	case driver.NoSum:
		s.told(w, m.Slot)
	}
}

func (s *asked) told(w way, slot paxos.Slot) {
	if s.sums[w] == slot {
		delete(s.sums, w)
	}
}

func (s *asked) passes(p passed) {
	for i, x := range s.passing {
		if x == p {
			s.passing = append(s.passing[:i], s.passing[i+1:]...)
			return
		}
	}
}

// lane is told that the bulk lane begins a job, or has ended one.
func (s *asked) lane(busy bool) { s.reads = busy }

// acted is told at the end of a step how many messages wait for the disk, behind which an
// answer may be, and up to where the log is applied.
func (s *asked) acted(w *sim.World, id paxos.NodeID, held int, applied paxos.Slot) {
	if len(s.fetches) > 0 && held == 0 {
		w.Break("L1", "replica %d leaves questions for values of the log without an answer, of %d replicas", id, len(s.fetches))
	}
	if len(s.pieces) > 0 && !s.reads {
		w.Break("L1", "replica %d leaves questions for a piece of a snapshot without an answer, of %d replicas, and its bulk lane rests", id, len(s.pieces))
	}
	for x, slot := range s.sums { // order-free: any breach ends the run
		if slot <= applied {
			w.Break("L1", "replica %d leaves replica %d, which asked by way of replica %d, without the sum after slot %d, and has applied %d", id, x.from, x.via, slot, applied)
			return
		}
	}
	if len(s.passing) > 0 {
		w.Break("L1", "replica %d passes on to replica %d nothing of what replica %d said", id, s.passing[0].to, s.passing[0].m.From)
	}
}
