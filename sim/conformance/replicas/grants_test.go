package replicas

import (
	"testing"
	"time"

	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/sim/worldtest"
)

// leaseState is what replica 1 reports of itself.
type leaseState struct {
	self          paxos.Status
	lease         time.Time
	counts        map[paxos.NodeID]time.Time
	holder        paxos.NodeID
	until, silent time.Time
}

func (s *leaseState) Status() paxos.Status                   { return s.self }
func (s *leaseState) Lease() time.Time                       { return s.lease }
func (s *leaseState) SupportUntil(id paxos.NodeID) time.Time { return s.counts[id] }
func (s *leaseState) LeaseGranted() (paxos.NodeID, time.Time, time.Time) {
	return s.holder, s.until, s.silent
}
func (s *leaseState) step(f worldtest.World, w *grants, ms int, r paxos.Status) {
	s.self = r
	w.onActed(f.World, at(ms), 3, &r, s)
}

func at(ms int) time.Time { return time.Unix(1, 0).Add(time.Duration(ms) * time.Millisecond) }

// Replica 1 of three leads at 4.1 in its second life, with grants of 110 ms that it counts
// for 90. It asks at 0 and at 30; replica 2 answers both heartbeats, at 20 and at 40, and its
// own grant is that of 30.
func TestS7bWhatALeaderCounts(t *testing.T) {
	lease := paxos.Lease{Grant: 110 * time.Millisecond, Rho: 100_000}
	leads := paxos.Status{ID: 1, Role: paxos.Leader, Ballot: ballot(4, 1), Boot: 2}
	leads.Count.Tenures = 1
	heartbeat := func(seq uint64) paxos.Message {
		return paxos.Heartbeat{Ballot: leads.Ballot, Boot: 2, Seq: seq, Lease: lease}
	}
	reply := paxos.HeartbeatReply{Ballot: leads.Ballot, Boot: 2, Seq: 2, Granted: true}
	for name, c := range map[string]struct {
		reply  func(m *paxos.HeartbeatReply)
		held   bool          // the second question waits for the disk, and leaves at 30
		counts time.Duration // for replica 2, in addition to the end by the second question
		lease  time.Duration // in addition to the second latest end that it counts
		broken string
	}{
		"from when it asked":       {},
		"from when it was told":    {counts: 10 * time.Millisecond, broken: "S7b"},
		"from the question before": {counts: -30 * time.Millisecond, broken: "L1"},
		"an answer of another life": {
			reply: func(m *paxos.HeartbeatReply) { m.Boot = 1 }, counts: -30 * time.Millisecond},
		"an answer of another life, counted": {
			reply: func(m *paxos.HeartbeatReply) { m.Boot = 1 }, broken: "S7b"},
		"an answer at another ballot, counted": {
			reply: func(m *paxos.HeartbeatReply) { m.Ballot.Round = 3 }, broken: "S7b"},
		"a refusal":                       {reply: func(m *paxos.HeartbeatReply) { m.Granted = false }, counts: -30 * time.Millisecond},
		"a refusal, counted":              {reply: func(m *paxos.HeartbeatReply) { m.Granted = false }, broken: "S7b"},
		"to a question that was not made": {reply: func(m *paxos.HeartbeatReply) { m.Seq = 3 }, broken: "S7b"},
		"a question that left late":       {held: true, counts: -5 * time.Millisecond},
		"read authority by its own grant": {lease: time.Millisecond, broken: "S7b"},
		"read authority for less":         {lease: -time.Millisecond, broken: "L1"},
	} {
		t.Run(name, func(t *testing.T) {
			f, w := worldtest.New(t), &grants{lease: lease}
			s := &leaseState{counts: map[paxos.NodeID]time.Time{}}
			s.step(f, w, 0, leads)
			w.onSend(f.World, 1, 2, at(0), heartbeat(1))
			s.holder, s.until = 1, at(110)
			s.step(f, w, 1, leads)
			first := reply
			first.Seq = 1
			w.onMessage(at(20), s, 2, first)
			s.counts[1], s.counts[2], s.lease = at(90), at(90), at(90)
			held := leads
			if c.held {
				held.Held = 1
			}
			s.step(f, w, 20, held)
			w.onSend(f.World, 1, 2, at(30), heartbeat(2))
			s.until, s.counts[1] = at(140), at(120)
			s.step(f, w, 30, leads)
			f.Good()
			m := reply
			if c.reply != nil {
				c.reply(&m)
			}
			w.onMessage(at(40), s, 2, m)
			s.counts[2] = at(120).Add(c.counts)
			s.lease = s.counts[2].Add(c.lease)
			if c.counts > 0 {
				s.lease = at(120).Add(c.lease)
			}
			s.step(f, w, 40, leads)
			if c.broken != "" {
				f.Diverges(c.broken)
			} else {
				f.Good()
			}
		})
	}
}

// Replica 1 follows in its second life, which begins at 0. Replica 3 leads at 4.3, asks at
// 110 and gets a grant. The row says what comes then.
func TestS7bWhatAMemberHonours(t *testing.T) {
	lease := paxos.Lease{Grant: 110 * time.Millisecond, Rho: 100_000}
	follows := paxos.Status{ID: 1, Role: paxos.Follower, Boot: 2, Promised: ballot(4, 3)}
	asks := func(f worldtest.World, w *grants, ms int, from paxos.NodeID, round uint64) {
		b := ballot(round, from)
		w.onMessage(at(ms), nil, from, paxos.Heartbeat{Ballot: b, Boot: 5, Seq: 8, Lease: lease})
		w.onSend(f.World, 1, from, at(ms), paxos.HeartbeatReply{Ballot: b, Boot: 5, Seq: 8, Granted: true})
	}
	for name, c := range map[string]struct {
		do     func(f worldtest.World, w *grants, s *leaseState)
		broken string
	}{
		"it is asked again": {func(f worldtest.World, w *grants, s *leaseState) {
			asks(f, w, 150, 3, 4)
			s.until = at(260)
		}, ""},
		"it keeps its grant": {func(worldtest.World, *grants, *leaseState) {}, ""},
		"it takes it back":   {func(f worldtest.World, w *grants, s *leaseState) { s.holder, s.until = 0, time.Time{} }, "S7b"},
		"it keeps it for its own term": {func(f worldtest.World, w *grants, s *leaseState) {
			asks(f, w, 150, 3, 4)
			s.until = at(240)
		}, "S7b"},
		"it keeps it for longer": {func(f worldtest.World, w *grants, s *leaseState) { s.until = at(221) }, "L1"},
		"it gives it to another": {func(f worldtest.World, w *grants, s *leaseState) {
			asks(f, w, 150, 2, 5)
			s.holder, s.until = 2, at(260)
		}, ""},
		"it gives it to another, and keeps the first": {func(f worldtest.World, w *grants, s *leaseState) { asks(f, w, 150, 2, 5) }, "S7b"},
		"it gives it to itself":                       {func(f worldtest.World, w *grants, s *leaseState) { s.holder, s.until = 1, at(260) }, ""},
		"it is released": {func(f worldtest.World, w *grants, s *leaseState) {
			w.onMessage(at(150), nil, 3, paxos.Released{Ballot: ballot(4, 3), Boot: 5})
			s.holder, s.until = 0, time.Time{}
		}, ""},
		"a release of before": {func(f worldtest.World, w *grants, s *leaseState) {
			w.onMessage(at(150), nil, 3, paxos.Released{Ballot: ballot(3, 3), Boot: 5})
		}, ""},
		"a release of before ends it": {func(f worldtest.World, w *grants, s *leaseState) {
			w.onMessage(at(150), nil, 3, paxos.Released{Ballot: ballot(3, 3), Boot: 5})
			s.holder, s.until = 0, time.Time{}
		}, "S7b"},
		"a release is not heard": {func(f worldtest.World, w *grants, s *leaseState) {
			w.onMessage(at(150), nil, 3, paxos.Released{Ballot: ballot(4, 3), Boot: 5})
		}, "L1"},
	} {
		t.Run(name, func(t *testing.T) {
			f, w := worldtest.New(t), &grants{lease: lease}
			w.onStart(at(0), follows, 0)
			s := &leaseState{silent: at(110)}
			s.step(f, w, 0, follows)
			asks(f, w, 110, 3, 4)
			s.holder, s.until = 3, at(220)
			s.step(f, w, 110, follows)
			f.Good()
			c.do(f, w, s)
			s.step(f, w, 150, follows)
			if c.broken != "" {
				f.Diverges(c.broken)
			} else {
				f.Good()
			}
		})
	}
}

// A grant that left before the restart hold-off was over, and a hold-off of the wrong length.
func TestS7bARestartedReplicaIsSilent(t *testing.T) {
	lease := paxos.Lease{Grant: 110 * time.Millisecond}
	follows := paxos.Status{ID: 1, Role: paxos.Follower, Boot: 2}
	for name, c := range map[string]struct {
		first  bool
		before int // the longest Grant of earlier lives; 0: the present one
		silent int
		gives  int // when it grants, after a message of the log has left; 0: not
		broken string
	}{
		"for a grant":                  {silent: 110},
		"for less":                     {silent: 109, broken: "S7b"},
		"for longer":                   {silent: 111, broken: "L1"},
		"for a longer grant of before": {before: 150, silent: 150},
		"for the present one only":     {before: 150, silent: 110, broken: "S7b"},
		"it gives a grant":             {silent: 110, gives: 109},
		"the silence is over":          {silent: 110, gives: 110},
		"a first life":                 {first: true, gives: 1},
	} {
		t.Run(name, func(t *testing.T) {
			f, w := worldtest.New(t), &grants{lease: lease}
			self := follows
			if c.first {
				self.Boot = 1
			}
			w.onStart(at(0), self, time.Duration(c.before)*time.Millisecond)
			s := &leaseState{}
			if c.silent > 0 {
				s.silent = at(c.silent)
			}
			s.step(f, w, 0, follows)
			if c.gives > 0 {
				w.onMessage(at(c.gives), nil, 3, paxos.Heartbeat{Ballot: ballot(4, 3), Seq: 1, Lease: lease})
				w.onSend(f.World, 1, 3, at(c.gives), paxos.HeartbeatReply{Ballot: ballot(4, 3), Seq: 1, Granted: true})
				s.holder, s.until = 3, at(c.gives+110)
				s.step(f, w, c.gives, follows)
			}
			if c.broken != "" {
				f.Diverges(c.broken)
			} else {
				f.Good()
			}
		})
	}
}

// Replica 1 follows 3, which has its grant from 110 until 220, after a hold-off until 110. It
// promises some ballot.
func TestS7bNoPromiseWhileAGrantBinds(t *testing.T) {
	lease := paxos.Lease{Grant: 110 * time.Millisecond}
	for name, c := range map[string]struct {
		ms     int
		to     paxos.Ballot
		asked  bool // by a Prepare, not by a vote
		broken bool
	}{
		"to whom it gave it":            {150, ballot(9, 3), true, false},
		"to another":                    {150, ballot(9, 2), true, true},
		"a vote of another":             {150, ballot(9, 2), false, true},
		"to itself":                     {150, ballot(9, 1), false, true},
		"its grant is over":             {220, ballot(9, 2), true, false},
		"it is silent":                  {109, ballot(9, 3), true, true},
		"itself included":               {109, ballot(9, 1), false, true},
		"a vote, which is none of that": {109, ballot(9, 3), false, false},
	} {
		t.Run(name, func(t *testing.T) {
			f, w := worldtest.New(t), &grants{lease: lease}
			follows := paxos.Status{ID: 1, Role: paxos.Follower, Boot: 2, Promised: ballot(4, 3)}
			w.onStart(at(0), follows, 0)
			s := &leaseState{silent: at(110)}
			s.step(f, w, 0, follows)
			if c.ms > 110 {
				b := follows.Promised
				w.onMessage(at(110), nil, 3, paxos.Heartbeat{Ballot: b, Boot: 5, Seq: 8, Lease: lease})
				w.onSend(f.World, 1, 3, at(110), paxos.HeartbeatReply{Ballot: b, Boot: 5, Seq: 8, Granted: true})
				s.holder, s.until = 3, at(220)
				s.step(f, w, 110, follows)
			}
			f.Good()
			if c.asked {
				w.onMessage(at(c.ms), nil, c.to.Node, paxos.Prepare{Ballot: c.to, Boot: 1, From: 1})
			}
			follows.Promised = c.to
			s.step(f, w, c.ms, follows)
			if c.broken {
				f.Diverges("S7b")
			} else {
				f.Good()
			}
		})
	}
}
