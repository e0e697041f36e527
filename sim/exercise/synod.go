package exercise

import (
	"encoding/json"
	"time"

	"github.com/chubbycell/chubby/sim"
)

// Note is every message and every record of single-decree Paxos.
type Note struct {
	Kind string // prepare, promise, accept, accepted, chosen
	B, V uint64 `json:",omitempty"` // ballot; in a promise also the ballot of the vote it reports
	Val  string `json:",omitempty"`
}

// Bytes are the note as it is sent and recorded.
func (n Note) Bytes() []byte   { b, _ := json.Marshal(n); return b }
func decode(b []byte) (n Note) { _ = json.Unmarshal(b, &n); return n }

// Rules are what a Synod is not safe without.
type Rules struct {
	// Adopt takes in a promise of the attempt at hand: n.V is the ballot of the vote that it
	// reports, n.Val the value, 0 and "" if there is none. What s.Mine is when a majority has
	// promised is proposed.
	Adopt func(s *Synod, n Note)
	// Vote decides on the value n.Val, which from proposes at ballot n.B, and answers with a note
	// "accepted" of both if it votes for it.
	Vote func(s *Synod, from sim.Addr, n Note)
}

// Synod is single-decree Paxos (Paxos Made Simple 2.2): each node plays all roles. Its state is
// there for Rules to read and change.
type Synod struct {
	sim.Outbox
	Promised, Voted uint64 // ballots
	Value           string // voted for
	Best            uint64 // what Adopt keeps of one attempt; 0 when that begins
	Mine            string // proposed

	c                  sim.NodeConfig
	rules              Rules
	ballot             uint64 // of our attempt
	promises, accepted map[sim.Addr]bool
	done               bool
}

// Self is the address of this node.
func (s *Synod) Self() sim.Addr { return s.c.Self }

// newSynod begins a life with the records that the disk has kept.
func newSynod(c sim.NodeConfig, rules Rules) *Synod {
	s := &Synod{Outbox: sim.NewOutbox(c), c: c, rules: rules, Mine: "of " + c.Self.String()}
	for _, b := range c.Records {
		n := decode(b)
		if n.Kind == "accepted" {
			s.Voted, s.Value = n.B, n.Val
		}
		s.Promised = max(s.Promised, n.B)
	}
	s.Advance(c.Now)
	return s
}

// Votes lets the simulator read votes off the disks.
func (s *Synod) Votes(record []byte) []sim.Vote {
	if n := decode(record); n.Kind == "accepted" {
		return []sim.Vote{{Slot: 1, Ballot: sim.Ballot{Round: n.B}, Value: n.Val}}
	}
	return nil
}

// Step takes a message.
func (s *Synod) Step(_ time.Time, from sim.Addr, msg []byte) {
	switch n := decode(msg); n.Kind {
	case "prepare":
		s.onPrepare(from, n)
	case "promise":
		s.onPromise(from, n)
	case "accept":
		s.rules.Vote(s, from, n)
	case "accepted":
		s.onAccepted(from, n)
	case "chosen":
		if !s.done {
			s.done = true
			s.Choose(1, n.Val)
			s.WakeAt(time.Time{})
		}
	}
}

// onPrepare promises to take part in no lower ballot, and reports the vote that was cast.
func (s *Synod) onPrepare(from sim.Addr, n Note) {
	if n.B > s.Promised {
		s.Promised = n.B
		s.Record(n.Bytes(), Note{"promise", n.B, s.Voted, s.Value}.Bytes(), from)
	}
}

// onPromise counts promises, and asks for votes when a majority has promised.
func (s *Synod) onPromise(from sim.Addr, n Note) {
	if n.B != s.ballot || len(s.promises) >= s.quorum() {
		return
	}
	s.promises[from] = true
	s.rules.Adopt(s, n)
	if len(s.promises) == s.quorum() {
		s.Send(Note{Kind: "accept", B: s.ballot, Val: s.Mine}.Bytes(), s.c.Members...)
	}
}

// onAccepted counts votes.
func (s *Synod) onAccepted(from sim.Addr, n Note) {
	if n.B != s.ballot {
		return
	}
	s.accepted[from] = true
	if len(s.accepted) >= s.quorum() {
		s.Send(Note{Kind: "chosen", Val: n.Val}.Bytes(), s.c.Members...)
	}
}

func (s *Synod) quorum() int { return len(s.c.Members)/2 + 1 }

// Advance begins an attempt at a ballot of our own.
func (s *Synod) Advance(now time.Time) {
	s.ballot = (max(s.ballot, s.Promised)>>8+1)<<8 | uint64(s.c.Self)
	s.Best, s.promises, s.accepted = 0, map[sim.Addr]bool{}, map[sim.Addr]bool{}
	s.Send(Note{Kind: "prepare", B: s.ballot}.Bytes(), s.c.Members...)
	s.WakeAt(now.Add(time.Duration(10+15*s.c.Self) * time.Millisecond))
}
