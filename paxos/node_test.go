package paxos

import (
	"fmt"
	"strings"
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

// However long no node answers, a node asks the others again before long: after an outage,
// the wait must not be as long as the outage. The bounds are twice those of the code.
func TestPausesDoNotGrowWithoutBound(t *testing.T) {
	for name, c := range map[string]struct {
		begin func(*rig)
		asks  string
		bound func(*Config) time.Duration
	}{
		"a candidate": {
			func(r *rig) { r.campaign() }, "prepare", func(c *Config) time.Duration { return 32 * c.Retransmit },
		},
		"a follower that lags": {
			func(r *rig) { r.step(2, Heartbeat{Ballot: Ballot{1, 2}, Boot: 1, Seq: 1, FirstOpen: 9}) },
			"fetch", func(c *Config) time.Duration { return 16 * c.Retransmit },
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, 3)
			c.begin(r)
			last := r.now
			for range 2000 {
				r.pass(r.cfg.Retransmit)
				if strings.Contains(strings.Join(r.drain(), "\n"), c.asks) {
					last = r.now
				}
				require.LessOrEqual(t, r.now.Sub(last), c.bound(&r.cfg))
			}
		})
	}
}

// However often a candidate has lost, it goes on trying. The bound is twice that of the
// code.
func TestACandidateThatKeepsLosingGoesOn(t *testing.T) {
	r := newRig(t, 3)
	for range 40 {
		r.lose(1)
		r.requireCampaignWithin(64 * r.cfg.ElectionMax)
	}
}

// requireCampaignWithin has time pass until the node campaigns.
func (r *rig) requireCampaignWithin(most time.Duration) {
	r.t.Helper()
	for end := r.now.Add(most); r.node.Status().Role != Candidate; r.pass(r.cfg.Retransmit) {
		require.True(r.t, r.now.Before(end), "no campaign within %v", most)
	}
}

// Defeats from before the last leader do not slow a campaign down. A first defeat delays it
// by 2 ElectionMax at most, a fifth one by 32.
func TestDefeatsAreForgottenWhenANodeLeads(t *testing.T) {
	for name, leads := range map[string]func(*rig){
		"another": func(r *rig) { r.follow(2) },
		"a voter": func(r *rig) { r.step(2, Accept{Ballot: r.above(2), Boot: 1, Slot: 1, Value: val("a")}) },
		"the node": func(r *rig) {
			r.node.Campaign(r.now)
			r.take()
			r.sync()
			r.step(2, Promise{Ballot: r.node.ownBallot(), Boot: r.node.boot, Page: Range{1, MaxSlot}, FirstOpen: 1})
			require.Equal(r.t, Leader, r.node.Status().Role)
			r.step(2, Nack{Ballot: r.node.ownBallot(), Boot: r.node.boot, Promised: r.above(2)})
			require.Equal(r.t, Follower, r.node.Status().Role)
		},
	} {
		for seed := range uint64(20) {
			t.Run(fmt.Sprint(name, " ", seed), func(t *testing.T) {
				r := newRig(t, 3, func(c *Config) { c.Seed = seed })
				r.lose(5)
				leads(r)
				if name != "the node" {
					r.requireCampaignWithin(2 * r.cfg.ElectionMax)
					r.lose(1)
				}
				r.requireCampaignWithin(4 * r.cfg.ElectionMax)
			})
		}
	}
}

// A former leader lets the others campaign first, unless Campaign is called. One that was
// asked to step down, and campaigned before any other node could, would cost a fail-over and
// lead again.
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
			r.pass(r.cfg.ElectionMax)
			gives(r)
			for range 5 {
				r.pass(r.cfg.ElectionMin / 10)
				require.Equal(t, Follower, r.node.Status().Role)
			}
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

// The values of a FetchReply have slots of their own: their numbers do not begin again with 0, or a
// node would take the last ones for near ones, and fill the slots in between.
func TestAFetchReplyEndsWithTheSlots(t *testing.T) {
	values := []Value{Noop, Noop, Noop}
	require.NotEmpty(t, Invalid(FetchReply{From: MaxSlot - 2, Values: values, FirstOpen: 2}))
	require.Empty(t, Invalid(FetchReply{From: MaxSlot - 3, Values: values, FirstOpen: 2}))
	wire := AppendMessage(nil, FetchReply{From: MaxSlot - 2, Values: values, FirstOpen: 2})
	_, err := DecodeMessage(string(wire))
	require.Error(t, err)
}
