//go:build course

package durable

import (
	"encoding/json"
	"time"

	"github.com/chubbycell/chubby/sim"
)

// note is every message and every record of single-decree Paxos.
type note struct {
	Kind string // prepare, promise, accept, accepted, chosen
	B, V uint64 `json:",omitempty"` // ballot; in a promise also the ballot of the vote it reports
	Val  string `json:",omitempty"`
}

func (n note) bytes() []byte   { b, _ := json.Marshal(n); return b }
func decode(b []byte) (n note) { _ = json.Unmarshal(b, &n); return n }

// synod is single-decree Paxos (Paxos Made Simple 2.2): each node plays all roles.
type synod struct {
	sim.Outbox
	c                  sim.NodeConfig
	promised, voted    uint64
	ballot, best       uint64 // of our attempt; of the votes that were reported to it
	value, mine        string // voted for; proposed
	promises, accepted map[sim.Addr]bool
	done               bool
}

// newSynod begins a life with the records that the disk has kept.
func newSynod(c sim.NodeConfig) sim.Node {
	s := &synod{Outbox: sim.NewOutbox(c), c: c, mine: "of " + c.Self.String()}
	for _, b := range c.Records {
		n := decode(b)
		if n.Kind == "accepted" {
			s.voted, s.value = n.B, n.Val
		}
		s.promised = max(s.promised, n.B)
	}
	s.Advance(c.Now)
	return s
}

// Vote lets the simulator read votes off the disks.
func (s *synod) Vote(record []byte) (sim.Vote, bool) {
	n := decode(record)
	return sim.Vote{Slot: 1, Ballot: sim.Ballot{Round: n.B}, Value: n.Val}, n.Kind == "accepted"
}

// Step takes a message.
func (s *synod) Step(_ time.Time, from sim.Addr, msg []byte) {
	switch n := decode(msg); n.Kind {
	case "prepare":
		s.onPrepare(from, n)
	case "promise":
		s.onPromise(from, n)
	case "accept":
		s.onAccept(from, n)
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
func (s *synod) onPrepare(from sim.Addr, n note) {
	if n.B > s.promised {
		s.promised = n.B
		s.Record(n.bytes(), note{"promise", n.B, s.voted, s.value}.bytes(), from)
	}
}

// onPromise counts promises, and asks for votes when a majority has promised.
func (s *synod) onPromise(from sim.Addr, n note) {
	if n.B != s.ballot || len(s.promises) >= s.quorum() {
		return
	}
	s.promises[from] = true
	if n.V > s.best {
		s.best, s.mine = n.V, n.Val
	}
	if len(s.promises) == s.quorum() {
		s.Send(note{Kind: "accept", B: s.ballot, Val: s.mine}.bytes(), s.c.Members...)
	}
}

// onAccept votes.
func (s *synod) onAccept(from sim.Addr, n note) {
	if n.B >= s.promised {
		s.promised, s.voted, s.value = n.B, n.B, n.Val
		n.Kind = "accepted"
		s.Record(n.bytes(), n.bytes(), from)
	}
}

// onAccepted counts votes.
func (s *synod) onAccepted(from sim.Addr, n note) {
	if n.B != s.ballot {
		return
	}
	s.accepted[from] = true
	if len(s.accepted) >= s.quorum() {
		s.Send(note{Kind: "chosen", Val: n.Val}.bytes(), s.c.Members...)
	}
}

func (s *synod) quorum() int { return len(s.c.Members)/2 + 1 }

// Advance begins an attempt at a ballot of our own.
func (s *synod) Advance(now time.Time) {
	s.ballot = (max(s.ballot, s.promised)>>8+1)<<8 | uint64(s.c.Self)
	s.best, s.promises, s.accepted = 0, map[sim.Addr]bool{}, map[sim.Addr]bool{}
	s.Send(note{Kind: "prepare", B: s.ballot}.bytes(), s.c.Members...)
	s.WakeAt(now.Add(time.Duration(10+15*s.c.Self) * time.Millisecond))
}
