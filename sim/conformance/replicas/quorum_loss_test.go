package replicas

import (
	"testing"
	"time"

	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/sim/worldtest"
)

// A leader steps down for silence when it hears no quorum, itself included.
func TestL1ALeaderStepsDownForSilenceOnly(t *testing.T) {
	const limit = 100 * time.Millisecond
	at := func(ms int) time.Time { return time.Unix(1, 0).Add(time.Duration(ms) * time.Millisecond) }
	leader := paxos.Status{ID: 1, Role: paxos.Leader, Ballot: ballot(4, 1), Boot: 2}
	wire := func(m paxos.Message) string { return string(paxos.AppendMessage(nil, m)) }
	vote := wire(paxos.Accepted{Ballot: leader.Ballot, Boot: 2, Slot: 3})
	reply := wire(paxos.HeartbeatReply{Ballot: leader.Ballot, Boot: 2, Seq: 1, FirstOpen: 1})
	for name, c := range map[string]struct {
		from   paxos.NodeID
		wire   string
		ms     int
		breaks bool
	}{
		"a vote":               {2, vote, 101, true},
		"a heartbeat's answer": {2, reply, 101, true},
		"the other one's":      {3, reply, 101, true},
		"a moment before":      {2, vote, 102, true},
		"too long ago":         {2, vote, 100, false},
		"its own":              {1, vote, 101, false},
		"of an earlier ballot": {2, wire(paxos.Accepted{Ballot: ballot(3, 1), Boot: 2, Slot: 3}), 101, false},
		"of an earlier life":   {2, wire(paxos.Accepted{Ballot: leader.Ballot, Boot: 1, Slot: 3}), 101, false},
		"a question":           {2, wire(paxos.Prepare{Ballot: leader.Ballot, Boot: 2, From: 1}), 101, false},
		"what cannot be read":  {2, "\x00", 101, false},
		"it has just begun to": {0, "", 201, true},
		"it began long ago":    {0, "", 0, false},
	} {
		t.Run(name, func(t *testing.T) {
			f, s := worldtest.New(t), quorumLoss{}
			begins := 0
			if c.from == 0 {
				begins = c.ms
			}
			s.onLead(at(begins))
			m, _ := paxos.DecodeMessage(c.wire)
			s.onMessage(at(c.ms), leader, c.from, m)
			s.onActed(f.World, at(201), 3, limit, leader)
			f.Good()
			gone := leader
			gone.Role, gone.Count.QuorumLost = paxos.Follower, 1
			s.onActed(f.World, at(201), 3, limit, gone)
			if c.breaks {
				f.Diverges("L1")
			} else {
				f.Good()
			}
		})
	}
}
