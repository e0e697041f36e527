package paxos

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Between two outputs a slot is learnt as chosen by the vote that stands there,
// and then a late Accept of a lower ballot than the chosen one, but above the
// vote, puts another value into the vote. The record that calls the vote chosen
// must go to the disk between the two, or a restart reads the wrong value.
func TestAVoteOverASettledSlotComesAfterItsSettledRecord(t *testing.T) {
	r := newRig(t, 5)
	a, b := val("a"), val("b")
	r.step(2, Accept{Ballot: Ballot{1, 2}, Boot: 1, Slot: 1, Value: a})
	r.node.Step(r.now, 4, FetchReply{From: 1, Values: []Value{a}, FirstOpen: 2})
	r.step(3, Accept{Ballot: Ballot{2, 3}, Boot: 1, Slot: 1, Value: b})
	r.sync()
	r.restart()
	require.Equal(t, []Entry{{1, a}}, r.delivered)
}

// While a candidate asks for slots, some of them become known as chosen. The
// answer, which covers them too, still counts for the rest.
func TestAPageThatOverlapsWhatBecameKnownCounts(t *testing.T) {
	r := newRig(t, 3)
	b := r.campaign()
	r.step(2, FetchReply{From: 1, Values: []Value{val("a")}, FirstOpen: 2})
	r.step(2, Promise{Ballot: b, Boot: 1, Page: Range{1, MaxSlot}, FirstOpen: 2, Votes: []Vote{
		{Slot: 1, Ballot: Ballot{1, 2}, Value: val("a")}, {Slot: 2, Ballot: Ballot{1, 2}, Value: val("b")},
	}})
	require.Equal(t, Leader, r.node.Status().Role)
	require.Equal(t, Slot(3), r.tenure.From)
	require.Contains(t, r.drain(), "accept 4.1 boot 1 slot 2 "+val("b").String()+" -> 2 3")
}

// A leader that learns of a chosen slot in which it never proposed has a
// successor. It stops at once: the command it would put there would be lost
// without a trace.
func TestALeaderOvertakenByAnotherStopsLeading(t *testing.T) {
	r := newRig(t, 3)
	r.lead()
	require.True(t, r.tenure.Mine)
	r.drain()
	require.NoError(t, r.node.Propose(r.now, []byte("x")))
	r.step(2, FetchReply{From: 1, Values: []Value{val("a")}, FirstOpen: 2})
	require.Empty(t, r.drain())
	require.Equal(t, Follower, r.node.Status().Role)
	require.Equal(t, &Tenure{}, r.tenure)
	require.ErrorIs(t, r.propose("y"), ErrNotLeader)
	require.True(t, r.node.election.deadline.After(r.now))
}

// A candidate that lags beyond MaxAhead cannot use the votes it is told of, but
// learns from the same answer which peer to catch up from.
func TestACandidateFarBehindCatchesUpFirst(t *testing.T) {
	r := newRig(t, 3, func(c *Config) { c.MaxAhead, c.Window = 4, 4 })
	b := r.campaign()
	r.drain()
	r.step(2, Promise{Ballot: b, Boot: 1, Page: Range{1, MaxSlot}, FirstOpen: 9, Votes: []Vote{{Slot: 9, Ballot: Ballot{1, 2}}}})
	require.Equal(t, uint64(1), r.node.Status().Count.TooFar)
	r.pass(r.cfg.Retransmit)
	require.Contains(t, r.drain(), "fetch [1,5) -> 2")
}

// A laggard asks for no more than it takes notice of, or what it fetched would be too
// far ahead each time.
func TestALaggardWithASmallMaxAheadCatchesUp(t *testing.T) {
	r := newRig(t, 3, func(c *Config) { c.MaxAhead, c.Window, c.FetchSlots = 4, 4, 8 })
	r.step(2, Heartbeat{Ballot: Ballot{1, 2}, Boot: 1, Seq: 1, FirstOpen: 10})
	r.pass(r.cfg.Retransmit)
	for from := Slot(1); from < 10; from = r.node.Status().FirstOpen {
		to := min(from+4, 10)
		require.Contains(t, r.drain(), fmt.Sprintf("fetch [%d,%d) -> 2", from, to))
		r.step(2, FetchReply{From: from, Values: []Value{val("a"), val("b"), val("c"), val("d")}[:to-from], FirstOpen: 10})
		require.Equal(t, to, r.node.Status().FirstOpen)
	}
	require.Zero(t, r.node.Status().Count.TooFar)
}

// However long no node answers, a node asks the others again before long (I-T2).
func TestPausesDoNotGrowWithoutBound(t *testing.T) {
	for name, c := range map[string]struct {
		begin  func(*rig)
		extend func(*rig)
		text   string
	}{
		"a candidate": {
			func(r *rig) { r.campaign() },
			func(r *rig) { r.node.prepareDue = r.now.Add(16*r.cfg.Retransmit + 1) },
			"invariant I-T2 broken: node 1 waits 800.000001ms before it asks for promises again; the bound is 800ms",
		},
		"a follower that lags": {
			func(r *rig) { r.step(2, Heartbeat{Ballot: Ballot{1, 2}, Boot: 1, Seq: 1, FirstOpen: 9}) },
			func(r *rig) { r.node.catchup.due = r.now.Add(8*r.cfg.Retransmit + 1) },
			"invariant I-T2 broken: node 1 waits 400.000001ms before it asks for values again; the bound is 400ms",
		},
		"a candidate that loses": {
			func(r *rig) { r.lose(9) },
			func(r *rig) { r.lose(1); r.node.election.deadline = r.now.Add(32*r.cfg.ElectionMax + 1) },
			"invariant I-T2 broken: node 1 waits 32.000000001s before it campaigns; the bound is 32s",
		},
		"a follower": {
			func(r *rig) { r.lose(9) },
			func(r *rig) { r.follow(2); r.node.election.deadline = r.now.Add(r.cfg.ElectionMax + 1) },
			"invariant I-T2 broken: node 1 waits 1.000000001s before it campaigns; the bound is 1s",
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, 3)
			c.begin(r)
			r.drain()
			for range 1000 {
				r.pass(r.cfg.Retransmit)
				r.drain()
			}
			c.extend(r)
			require.PanicsWithError(t, c.text, func() { r.take() })
		})
	}
}

// Defeats from before the last leader do not slow a campaign down (I-T3).
func TestDefeatsAreForgottenWhenANodeLeads(t *testing.T) {
	for name, leads := range map[string]func(*rig){
		"another":  func(r *rig) { r.follow(2) },
		"a voter":  func(r *rig) { r.step(2, Accept{Ballot: r.above(2), Boot: 1, Slot: 1, Value: val("a")}) },
		"the node": func(r *rig) { r.node.Campaign(r.now); r.lead() },
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, 3)
			r.lose(4)
			leads(r)
			r.node.election.defeats = 1
			require.PanicsWithError(t, "invariant I-T3 broken: node 1 remembers 1 defeats although node "+fmt.Sprint(r.node.leader.Leader)+" leads",
				func() { r.take() })
		})
	}
}

// A former leader lets the others campaign first (I-T4), unless Campaign is called.
func TestAFormerLeaderLetsOthersCampaignFirst(t *testing.T) {
	for name, gives := range map[string]func(*rig){
		"it resigns":         func(r *rig) { r.node.Resign(r.now); r.take() },
		"it is refused":      func(r *rig) { r.step(2, Nack{Ballot: r.node.ownBallot(), Boot: r.node.boot, Promised: r.above(2)}) },
		"another node leads": func(r *rig) { r.follow(2) },
		"no quorum answers":  func(r *rig) { r.pass(2*r.cfg.ElectionMax + 1) },
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, 3)
			r.lead()
			gives(r)
			r.pass(r.cfg.ElectionMin - 1)
			require.Equal(t, Follower, r.node.Status().Role)
			r.node.election.deadline = r.now
			require.PanicsWithError(t, "invariant I-T4 broken: node 1 campaigns unasked 499.999999ms after it stopped leading", func() { r.pass(0) })
			r.node.Campaign(r.now)
			require.Equal(t, Candidate, r.node.Status().Role)
		})
	}
}

// The only copy of a value is unreadable, so phase 1 waits; then catch-up brings
// the value from a peer that is too slow to answer the Prepare.
func TestCatchUpEndsAWaitForAnUnreadableVote(t *testing.T) {
	r := newRig(t, 3)
	b := r.campaign()
	r.step(2, Promise{Ballot: b, Boot: 1, Page: Range{1, MaxSlot}, FirstOpen: 1, Votes: []Vote{{Slot: 1, Ballot: Ballot{1, 2}, Lost: true}}})
	require.Equal(t, Candidate, r.node.Status().Role)
	require.Equal(t, uint64(1), r.node.Status().Count.UnreadableVotes)
	r.step(3, FetchReply{From: 1, Values: []Value{val("a")}, FirstOpen: 2})
	r.pass(time.Second)
	require.Equal(t, Leader, r.node.Status().Role)
}

// A disk that reports what it was never given is refused (I-A4), as is one that
// hands back what cannot have been written (I-A2, I-A3).
func TestADiskThatContradictsItselfIsRefused(t *testing.T) {
	r := newRig(t, 3)
	require.PanicsWithError(t, "invariant I-A4 broken: node 1: disk reports record 2 durable, 2 was not given out yet",
		func() { r.node.Durable(r.now, 2) })
	for name, rec := range map[string]Recovered{
		"vote above the promise": {Promise: Ballot{1, 1}, Records: []Record{Voted{1, Ballot{2, 1}, "\x01a"}}},
		"votes go down":          {Promise: Ballot{2, 1}, Records: []Record{Voted{1, Ballot{2, 1}, "\x01a"}, Voted{1, Ballot{1, 1}, "\x01a"}}},
		"two values, one ballot": {Promise: Ballot{2, 1}, Records: []Record{Voted{1, Ballot{2, 1}, "\x01a"}, Voted{1, Ballot{2, 1}, "\x01b"}}},
		"two values chosen":      {Records: []Record{Learned{1, "\x01a"}, Learned{1, "\x01b"}}},
	} {
		require.Panics(t, func() { New(r.cfg, rec, r.now) }, name)
	}
}

// News that a slot is chosen names the ballot, not the value: a node whose vote at
// that ballot is unreadable must fetch it.
func TestChosenTeachesNoUnreadableVote(t *testing.T) {
	r := newRig(t, 3)
	b := Ballot{2, 2}
	r.node = New(r.cfg, Recovered{Boot: 1, Promise: b, Records: []Record{Unreadable{1, b}, Voted{2, b, "\x01a"}}, Next: 2}, r.now)
	r.step(2, Chosen{Ballot: b, Slots: Range{1, 3}})
	require.EqualValues(t, 1, r.node.Status().FirstOpen)
	r.pass(r.cfg.Retransmit)
	r.step(2, FetchReply{From: 1, Values: []Value{val("x")}, FirstOpen: 3})
	require.EqualValues(t, 3, r.node.Status().FirstOpen)
}

// A vote written twice at one ballot, once readable, is readable.
func TestAnUnreadableCopyOfAReadableVoteIsHarmless(t *testing.T) {
	r := newRig(t, 3)
	b := Ballot{1, 2}
	for _, records := range [][]Record{
		{Voted{1, b, "\x01a"}, Unreadable{1, b}},
		{Unreadable{1, b}, Voted{1, b, "\x01a"}},
	} {
		n := New(r.cfg, Recovered{Boot: 1, Promise: b, Records: records}, r.now)
		require.Equal(t, vote{ballot: b, value: "\x01a"}, *n.acceptor.votes.get(1))
	}
}

// A vote is reported as unreadable, and before that message is taken, the same
// leader's Accept comes and the vote is written again. What was reported stands
// on the old record, not on the new one.
func TestAnUnreadableVoteReportedAndThenWrittenAgain(t *testing.T) {
	r := newRig(t, 3)
	b := Ballot{1, 2}
	r.step(2, Accept{Ballot: b, Boot: 1, Slot: 1, Value: val("a")})
	r.sync()
	r.disk.rec.Records[0] = Unreadable{1, b}
	r.restart()
	r.node.Step(r.now, 2, Prepare{Ballot: b, Boot: 1, From: 1})
	r.step(2, Accept{Ballot: b, Boot: 1, Slot: 1, Value: val("a")})
	require.Equal(t, []string{"promise 1.2 boot 1 [1,) votes 1@1.2=lost open 1 -> 2"}, r.drain())
}
