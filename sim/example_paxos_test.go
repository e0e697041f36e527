package sim_test

import (
	"encoding/json"
	"time"

	"github.com/chubbycell/chubby/sim"
)

// note is every message and every record of single-decree Paxos.
type note struct {
	Kind string // prepare, promise, accept, accepted, chosen
	B, V uint64 // ballot; in a promise also the ballot of the vote it reports
	Val  string
}

func (n note) bytes() []byte   { b, _ := json.Marshal(n); return b }
func decode(b []byte) (n note) { _ = json.Unmarshal(b, &n); return n }

// synod is single-decree Paxos (Paxos Made Simple §2.2): each node plays all
// roles and wants a value of its own.
type synod struct {
	sim.Outbox
	c                  sim.NodeConfig
	promised, voted    uint64
	ballot, best       uint64 // of our attempt; of the votes reported to it
	value, mine        string // voted for; proposed, unless votes are reported
	promises, accepted map[sim.Addr]bool
	done               bool
}

func newSynod(c sim.NodeConfig) *synod {
	s := &synod{Outbox: sim.NewOutbox(c), c: c, mine: "of " + c.Self.String()}
	for _, b := range c.Records {
		if n := decode(b); n.Kind == "accepted" {
			s.voted, s.value = n.B, n.Val
		}
		s.promised = decode(b).B // they only rise
	}
	s.Advance(c.Now)
	return s
}

func (s *synod) Step(_ time.Time, from sim.Addr, msg []byte) {
	n, quorum := decode(msg), len(s.c.Members)/2+1
	switch {
	case n.Kind == "prepare" && n.B > s.promised:
		s.promised = n.B
		s.Record(n.bytes(), note{"promise", n.B, s.voted, s.value}.bytes(), from)
	case n.Kind == "promise" && n.B == s.ballot && len(s.promises) < quorum:
		if s.promises[from] = true; n.V > s.best {
			s.best, s.mine = n.V, n.Val
		}
		if len(s.promises) == quorum {
			s.Send(note{Kind: "accept", B: s.ballot, Val: s.mine}.bytes(), s.c.Members...)
		}
	case n.Kind == "accept" && n.B >= s.promised:
		s.promised, s.voted, s.value = n.B, n.B, n.Val
		n.Kind = "accepted"
		s.Record(n.bytes(), n.bytes(), from)
	case n.Kind == "accepted" && n.B == s.ballot:
		if s.accepted[from] = true; len(s.accepted) >= quorum {
			s.Send(note{Kind: "chosen", Val: n.Val}.bytes(), s.c.Members...)
		}
	case n.Kind == "chosen" && !s.done:
		s.done = true
		s.Choose(1, n.Val)
		s.WakeAt(time.Time{})
	}
}

// Advance begins an attempt at a ballot of our own.
func (s *synod) Advance(now time.Time) {
	s.ballot = (max(s.ballot, s.promised)>>8+1)<<8 | uint64(s.c.Self)
	s.best, s.promises, s.accepted = 0, map[sim.Addr]bool{}, map[sim.Addr]bool{}
	s.Send(note{Kind: "prepare", B: s.ballot}.bytes(), s.c.Members...)
	s.WakeAt(now.Add(time.Duration(10+15*s.c.Self) * time.Millisecond))
}
