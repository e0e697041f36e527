package replicas

import (
	"slices"
	"time"

	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/sim"
)

// grants are the words about time that one life of a replica has given and was given, as
// the messages have them (PML §5.2): a leader counts a grant from when it asked for it
// (P4.08), and a member honours it from when it answered. The world's clock shows a word
// that is counted for longer than it is honoured only where clocks are at their bounds
// (S7b); what a replica reports of itself is compared here with what it may say at all.
// A leader that counts more, and a member that honours less or promises meanwhile, break
// S7b. The contrary costs rounds through the log, or a wait (L1).
type grants struct {
	lease paxos.Lease // that this replica is configured with

	// The leader's half. What it asks for may leave late, if it waits for the disk: then
	// it asked some time before.
	tenures uint64
	ballot  paxos.Ballot // of the heartbeats that left last
	asked   []question   // in order; those too old to be of use are dropped
	counts  []counted    // by member, from 1
	ends    []time.Time
	reads   time.Time // until when it has read authority, as it said last
	news    bool      // what it may count is not what it was when it was last looked at
	held    bool      // words wait for the disk

	// The member's half.
	asks   paxos.Heartbeat // that came in this step
	asker  paxos.NodeID    // whose; 0: none came
	holder paxos.NodeID    // whom it gave its word to; 0: nobody
	at     paxos.Ballot    // highest at which that one asked
	loose  bool            // unless nobody here knows
	until  time.Time
	silent time.Time
	spoken bool // the disk knows of this life: a message of the log has left
	late   bool // in this step a word left that was given before

	promised paxos.Ballot
	prepares bool // in this step a candidate asked
}

// question is when a heartbeat left, and whether it was made then.
type question struct {
	seq  uint64
	at   time.Time
	sure bool
}

// find returns the question with a number, nil if there is none.
func (s *grants) find(seq uint64) *question {
	for i := range s.asked {
		if s.asked[i].seq == seq {
			return &s.asked[i]
		}
	}
	return nil
}

// counted is until when a leader may count the grant of a member, at most and at least,
// and until when it said last that it does.
type counted struct{ most, least, said time.Time }

// granted is what a node says of itself.
type granted interface {
	Status() paxos.Status
	Lease() time.Time
	Counts(paxos.NodeID) time.Time
	Granted() (holder paxos.NodeID, until, silent time.Time)
}

// begins is told that a life begins. One that is not the first gives no word, and no
// promise, for as long as an earlier one may have given its word to somebody else (P4.09):
// for the longest Grant that any of them was configured with.
func (s *grants) begins(now time.Time, self paxos.Status, longest time.Duration) {
	s.promised = self.Promised
	if self.Boot > 1 {
		s.silent = now.Add(max(longest, s.lease.Grant))
	}
}

// hears is told of a message before the replica takes it.
func (s *grants) hears(now time.Time, of granted, from paxos.NodeID, m paxos.Message) {
	switch m := m.(type) {
	case paxos.Prepare:
		s.prepares = true
	case paxos.Heartbeat:
		s.asks, s.asker = m, from
	case paxos.Released:
		switch {
		case s.holder == from && s.loose:
			s.late = true
		case s.holder == from && !m.Ballot.Less(s.at):
			s.holder, s.until = 0, time.Time{}
		}
	case paxos.HeartbeatReply:
		q := s.find(m.Seq)
		if q == nil || !m.Granted || m.Ballot != s.ballot || int(from) > len(s.counts) {
			return
		}
		self := of.Status()
		if m.Boot != self.Boot || self.Role != paxos.Leader {
			return
		}
		end, c := q.at.Add(s.lease.Term()), &s.counts[from-1]
		if !end.After(now) {
			return
		}
		c.most, s.news = later(c.most, end), true
		if q.sure && !s.held && self.Ballot == m.Ballot {
			c.least = later(c.least, end)
		}
	}
}

// says is told of a message that leaves.
func (s *grants) says(w *sim.World, id, to paxos.NodeID, now time.Time, m paxos.Message) {
	s.spoken = true
	switch m := m.(type) {
	case paxos.Heartbeat:
		if m.Ballot != s.ballot {
			s.ballot, s.asked = m.Ballot, s.asked[:0]
		}
		if s.find(m.Seq) == nil {
			s.asked, s.news = append(s.asked, question{m.Seq, now, !s.held}), true
		}
	case paxos.HeartbeatReply:
		switch {
		case !m.Granted:
		case s.asker == to && s.asks.Ballot == m.Ballot && s.asks.Seq == m.Seq:
			s.gives(to, now, m.Ballot)
		default:
			s.late = true // it waited for the disk to know of this life
		}
	}
}

// gives: its word to whoever asks. It is withheld while another has it, and in silence;
// but who asks for it has the promises of a majority, none of which was given by who had
// its word to keep. So nothing is broken by giving it (controls Z10 and Z11).
func (s *grants) gives(to paxos.NodeID, now time.Time, b paxos.Ballot) {
	if s.holder != to {
		s.at, s.loose = paxos.Ballot{}, false
	}
	if s.at.Less(b) {
		s.at = b
	}
	s.holder, s.until = to, now.Add(s.lease.Grant)
}

// acted compares what a replica reports of itself at the end of a step.
func (s *grants) acted(w *sim.World, now time.Time, members int, self *paxos.Status, of granted) {
	if self.Count.Tenures != s.tenures || self.Role != paxos.Leader {
		s.tenures, s.counts = self.Count.Tenures, s.counts[:0]
	}
	s.held, s.asker = self.Held > 0, 0
	if s.lease.Grant == 0 {
		return
	}
	s.promises(w, now, self)
	s.honours(w, now, self, of)
	if self.Role == paxos.Leader && members > 1 {
		s.reckons(w, now, members, self.ID, of)
		old := 0
		for old < len(s.asked) && !s.asked[old].at.Add(s.lease.Term()).After(now) {
			old++
		}
		s.asked = slices.Delete(s.asked, 0, old)
	}
}

// promises: none to anybody but whoever has its word, itself included (P4.02, P4.10). A
// vote that it is asked for raises the promise as well, and is withheld as long.
func (s *grants) promises(w *sim.World, now time.Time, self *paxos.Status) {
	to := self.Promised.Node
	switch {
	case self.Promised == s.promised:
	case s.holder != to && now.Before(s.until):
		w.Break("S7b", "replica %d promises %v, and %d has its word for %v more", self.ID, self.Promised, s.holder, s.until.Sub(now))
	case (s.prepares || to == self.ID) && now.Before(s.silent):
		w.Break("S7b", "replica %d promises %v, and an earlier life of it may have given its word for %v more", self.ID, self.Promised, s.silent.Sub(now))
	}
	s.promised, s.prepares = self.Promised, false
}

// reckons: what a leader counts of each member, and what follows from all of it.
func (s *grants) reckons(w *sim.World, now time.Time, members int, id paxos.NodeID, of granted) {
	if !s.notes(members, of) {
		return
	}
	s.ends = s.ends[:0]
	for i, c := range s.counts {
		m, end := paxos.NodeID(i+1), c.said
		s.ends = append(s.ends, end)
		switch {
		case m == id && end.After(now) && end.After(s.latest()):
			w.Break("S7b", "replica %d counts its own grant until %v after its last question allows", id, end.Sub(s.latest()))
		case m == id:
		case end.After(c.most) && end.After(now):
			w.Break("S7b", "replica %d counts the grant of %d for %v longer than from when it asked for it", id, m, end.Sub(c.most))
		case end.Before(c.least) && c.least.After(now):
			w.Break("L1", "replica %d counts the grant of %d for %v less than it was given", id, m, c.least.Sub(end))
		}
	}
	slices.SortFunc(s.ends, func(a, b time.Time) int { return b.Compare(a) }) // the latest first
	switch due := s.ends[members/2]; {
	case s.reads.After(due):
		w.Break("S7b", "replica %d has read authority for %v longer than a quorum granted", id, s.reads.Sub(due))
	case s.reads.Before(due):
		w.Break("L1", "replica %d has read authority for %v less than a quorum granted", id, due.Sub(s.reads))
	}
}

// notes takes in what a leader says that it counts. It says whether that is to be compared:
// by time alone nothing that was right becomes wrong.
func (s *grants) notes(members int, of granted) bool {
	for len(s.counts) < members {
		s.counts, s.news = append(s.counts, counted{}), true
	}
	reads := of.Lease()
	news := s.news || !reads.Equal(s.reads)
	s.reads, s.news = reads, false
	for i := range s.counts {
		end, c := of.Counts(paxos.NodeID(i+1)), &s.counts[i]
		news = news || !end.Equal(c.said)
		c.said = end
	}
	return news
}

// latest is until when it could count what it asked for last.
func (s *grants) latest() (end time.Time) {
	if n := len(s.asked); n > 0 {
		end = s.asked[n-1].at.Add(s.lease.Term())
	}
	return end
}

// honours: a word is kept for as long as it was given, and no longer. What a leader says
// to itself no message tells: that is known by the questions to the others.
func (s *grants) honours(w *sim.World, now time.Time, self *paxos.Status, of granted) {
	holder, until, silent := of.Granted()
	if !silent.Equal(s.silent) && (silent.After(now) || s.silent.After(now)) {
		s.differs(w, silent.Sub(s.silent), "replica %d, after a restart, is silent for %v %s than a grant", self.ID)
	}
	if !s.spoken || s.late {
		s.late = false
		s.believes(holder, until)
		return
	}
	if s.holder == self.ID || holder == self.ID {
		if holder != self.ID && holder != 0 {
			w.Break("S7b", "replica %d had its own word, and gives it to %d without a message", self.ID, holder)
		}
		s.believes(holder, until)
		return
	}
	if !until.After(now) && !s.until.After(now) {
		return
	}
	if holder != s.holder && until.After(now) && s.until.After(now) {
		w.Break("S7b", "replica %d gave its word to %d, and honours that of %d", self.ID, s.holder, holder)
		return
	}
	if !until.Equal(s.until) {
		s.differs(w, until.Sub(s.until), "replica %d honours its word for %v %s than it gave it", self.ID)
	}
}

// believes takes the replica at its word, where no message says how it came about.
func (s *grants) believes(holder paxos.NodeID, until time.Time) {
	s.holder, s.until, s.loose = holder, until, true
}

func (s *grants) differs(w *sim.World, by time.Duration, text string, id paxos.NodeID) {
	if by < 0 {
		w.Break("S7b", text, id, -by, "less")
	} else {
		w.Break("L1", text, id, by, "longer")
	}
}

func later(a, b time.Time) time.Time {
	if a.Before(b) {
		return b
	}
	return a
}
