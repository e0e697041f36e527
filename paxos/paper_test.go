package paxos

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// One test a claim of Paxos Made Simple (PMS) and Paxos Made Live (PML) that
// concerns this package; the comment has the claim in our words.

func noVotes(b Ballot, boot Boot) Promise {
	return Promise{Ballot: b, Boot: boot, Page: Range{1, MaxSlot}, FirstOpen: 1}
}

// PMS §2.1: an acceptor must accept the first proposal that it receives.
func TestPMS21AnAcceptorAcceptsTheFirstProposal(t *testing.T) {
	r := newRig(t, 3)
	r.step(2, Accept{Ballot: Ballot{1, 2}, Boot: 1, Slot: 1, Value: val("a")})
	r.sync()
	require.Equal(t, []string{"accepted 1.2 boot 1 slot 1 -> 2"}, r.drain())
}

// PMS §2.1: a value is chosen when a majority accepted it, not before.
func TestPMS21AMajorityChooses(t *testing.T) {
	r := newRig(t, 5)
	b := r.lead()
	require.NoError(t, r.propose("a"))
	r.sync() // its own vote
	r.step(2, Accepted{Ballot: b, Boot: 1, Slot: 1})
	require.Empty(t, r.delivered)
	r.step(3, Accepted{Ballot: b, Boot: 1, Slot: 1})
	require.Equal(t, []Entry{{1, val("a")}}, r.delivered)
}

// PMS §2.2, P1a: an acceptor may accept a proposal numbered n iff it has not
// answered a Prepare with a number above n.
func TestPMS22P1aNothingBelowThePromise(t *testing.T) {
	r := newRig(t, 3)
	r.step(3, Prepare{Ballot: Ballot{2, 3}, Boot: 1, From: 1})
	r.sync()
	r.drain()
	r.step(2, Accept{Ballot: Ballot{2, 2}, Boot: 1, Slot: 1, Value: val("a")})
	r.step(3, Accept{Ballot: Ballot{2, 3}, Boot: 1, Slot: 1, Value: val("b")})
	r.sync()
	require.Equal(t, []string{"nack 2.2 boot 1 promised 2.3 slot 1 -> 2", "accepted 2.3 boot 1 slot 1 -> 3"}, r.drain())
}

// PMS §2.2, P2c: the value is that of the highest-numbered proposal among the
// answers of a majority.
func TestPMS22P2cTheHighestNumberedProposalDecides(t *testing.T) {
	r := newRig(t, 5)
	b := r.campaign()
	for id, v := range map[NodeID]Vote{
		2: {Slot: 1, Ballot: Ballot{1, 2}, Value: val("old")},
		3: {Slot: 1, Ballot: Ballot{2, 3}, Value: val("new")},
	} {
		m := noVotes(b, 1)
		m.Votes = []Vote{v}
		r.step(id, m)
	}
	require.Contains(t, r.drain(), "accept 4.1 boot 1 slot 1 "+val("new").String()+" -> 2 3 4 5")
}

// PMS §2.2, P2c: with no proposal among the answers, any value will do.
func TestPMS22P2cFreeChoice(t *testing.T) {
	r := newRig(t, 3)
	b := r.campaign()
	r.step(3, noVotes(b, 1))
	require.NoError(t, r.propose("mine"))
	require.Contains(t, r.drain(), "accept 4.1 boot 1 slot 1 "+val("mine").String()+" -> 2 3")
}

// PMS §2.2: an acceptor can ignore any request at no risk; one of a stranger, for
// example.
func TestPMS22IgnoringIsSafe(t *testing.T) {
	r := newRig(t, 3)
	r.step(9, Prepare{Ballot: Ballot{9, 9}, Boot: 1, From: 1})
	require.Empty(t, r.drain())
	require.Equal(t, Ballot{}, r.node.Status().Promised)
	require.Equal(t, uint64(1), r.node.Status().Count.Strangers)
}

// PMS §2.2: a proposer can abandon a proposal at any time and forget it: answers
// to it that come later say nothing about the next one.
func TestPMS22AnAbandonedProposalIsForgotten(t *testing.T) {
	r := newRig(t, 5)
	first := r.lead()
	require.NoError(t, r.propose("a"))
	r.sync()
	r.step(2, Nack{Ballot: first, Boot: 1, Promised: Ballot{7, 2}})
	r.pass(20 * time.Second)
	r.sync()
	second := r.node.ownBallot()
	require.True(t, Ballot{7, 2}.Less(second))
	vote := noVotes(second, 1)
	vote.Votes = []Vote{{Slot: 1, Ballot: Ballot{7, 2}, Value: val("b")}}
	r.step(2, vote)
	r.step(3, noVotes(second, 1))
	require.Equal(t, Leader, r.node.Status().Role)
	for _, late := range []NodeID{2, 3, 4, 5} {
		r.step(late, Accepted{Ballot: first, Boot: 1, Slot: 1})
	}
	require.Empty(t, r.delivered, "four members voted for a at the first ballot, none for b at the second")
}

// PMS §2.2: if an acceptor has promised more, it helps to tell the proposer, which
// should then give up.
func TestPMS22ARefusedProposerGivesUp(t *testing.T) {
	r := newRig(t, 3)
	b := r.campaign()
	r.step(2, Nack{Ballot: b, Boot: 1, Promised: Ballot{9, 2}})
	require.Equal(t, Follower, r.node.Status().Role)
	r.pass(20 * time.Second)
	require.Equal(t, Ballot{10, 1}, r.node.ownBallot(), "and tries above what it was told of")
}

// PMS §2.3: a distinguished learner tells the others; an unreliable message is
// enough, because a learner can always find out later.
func TestPMS23LearnersAreToldAndCanAsk(t *testing.T) {
	r := newRig(t, 3)
	r.step(2, Accept{Ballot: Ballot{1, 2}, Boot: 1, Slot: 1, Value: val("a")},
		Chosen{Ballot: Ballot{1, 2}, Slots: Range{1, 2}},
		Heartbeat{Ballot: Ballot{1, 2}, Boot: 1, Seq: 1, FirstOpen: 3}) // Chosen of slot 2 was lost
	require.Equal(t, []Entry{{1, val("a")}}, r.delivered)
	r.pass(r.cfg.Retransmit)
	require.Contains(t, r.drain(), "fetch [2,3) -> 2")
}

// PMS §2.4: two proposers can keep each other from progress; who is refused waits
// a random time, longer with each defeat, so one of them gets through.
func TestPMS24DefeatsSpreadTheNextAttempt(t *testing.T) {
	r := newRig(t, 3)
	longest := time.Duration(0)
	for range 40 {
		r.pass(32 * r.cfg.ElectionMax)
		r.sync()
		b := r.node.ownBallot()
		r.step(2, Nack{Ballot: b, Boot: 1, Promised: Ballot{b.Round + 1, 2}})
		wait := r.node.election.deadline.Sub(r.now)
		require.GreaterOrEqual(t, wait, r.cfg.ElectionMin)
		longest = max(longest, wait)
	}
	require.Greater(t, longest, 4*r.cfg.ElectionMax)
	require.LessOrEqual(t, longest, 32*r.cfg.ElectionMax)
}

// PMS §2.5: an acceptor records its answer in stable storage before it sends it.
func TestPMS25StableStorageFirst(t *testing.T) {
	r := newRig(t, 3)
	r.step(2, Prepare{Ballot: Ballot{1, 2}, Boot: 1, From: 1}, Accept{Ballot: Ballot{1, 2}, Boot: 1, Slot: 1, Value: val("a")})
	require.Empty(t, r.drain())
	r.sync()
	require.Len(t, r.drain(), 2)
}

// PMS §2.5: different proposers use different numbers, and each remembers the
// highest it has tried: a restart tries above it.
func TestPMS25NumbersAreNotUsedTwice(t *testing.T) {
	r := newRig(t, 3)
	first := r.lead()
	r.restart()
	r.pass(r.cfg.ElectionMax)
	require.True(t, first.Less(r.node.ownBallot()), "%v, then %v", first, r.node.ownBallot())
}

// PMS §3: a new leader runs phase 1 for all slots at once, with one message to
// each, and answers tell only of the slots where there is something.
func TestPMS3OnePhaseOneForAllSlots(t *testing.T) {
	r := newRig(t, 3)
	r.lead()
	for _, c := range []string{"a", "b", "c"} {
		require.NoError(t, r.propose(c))
	}
	lines := r.drain()
	prepares := 0
	for _, l := range lines {
		if l[:7] == "prepare" {
			prepares++
		}
	}
	require.Equal(t, 1, prepares, lines)
	require.Equal(t, Slot(4), r.node.lead.next)
}

// PMS §3: the slots between those that must keep a value are filled with no-ops,
// and new commands come above.
func TestPMS3HolesGetNoOps(t *testing.T) {
	r := newRig(t, 3)
	b := r.campaign()
	m := noVotes(b, 1)
	m.Votes = []Vote{{Slot: 3, Ballot: Ballot{1, 2}, Value: val("c")}}
	r.step(2, m)
	require.NoError(t, r.propose("d"))
	require.Equal(t, []string{
		"accept 4.1 boot 1 slot 1 noop -> 2 3", "accept 4.1 boot 1 slot 2 noop -> 2 3",
		"accept 4.1 boot 1 slot 3 " + val("c").String() + " -> 2 3", "accept 4.1 boot 1 slot 4 " + val("d").String() + " -> 2 3",
	}, accepts(r.drain()))
	require.Equal(t, uint64(2), r.node.Status().Count.NoopFilled)
}

func accepts(lines []string) (as []string) {
	for _, l := range lines {
		if len(l) > 7 && l[:7] == "accept " {
			as = append(as, l)
		}
	}
	return as
}

// PMS §3: a leader may be alpha slots ahead of what it knows as chosen.
func TestPMS3AlphaSlotsAhead(t *testing.T) {
	r := newRig(t, 3, func(c *Config) { c.Window, c.MaxBatchCommands = 2, 1 })
	b := r.lead()
	for _, c := range []string{"a", "b", "c"} {
		require.NoError(t, r.propose(c))
	}
	require.Len(t, accepts(r.drain()), 2)
	r.sync()
	r.step(2, Accepted{Ballot: b, Boot: 1, Slot: 1})
	require.Len(t, accepts(r.drain()), 1)
}

// PMS §3: commands are handed out in slot order, whatever order slots are chosen in.
func TestPMS3SlotOrder(t *testing.T) {
	r := newRig(t, 3, func(c *Config) { c.MaxBatchCommands = 1 })
	b := r.lead()
	require.NoError(t, r.propose("a"))
	require.NoError(t, r.propose("b"))
	r.sync()
	r.step(2, Accepted{Ballot: b, Boot: 1, Slot: 2})
	require.Empty(t, r.delivered)
	r.step(2, Accepted{Ballot: b, Boot: 1, Slot: 1})
	require.Equal(t, []Entry{{1, val("a")}, {2, val("b")}}, r.delivered)
}

// PML §4.1: a candidate takes a number above all it has seen.
func TestPML41AboveAllSeen(t *testing.T) {
	r := newRig(t, 3)
	r.step(2, Heartbeat{Ballot: Ballot{41, 2}, Boot: 1, Seq: 1, FirstOpen: 1})
	r.pass(20 * time.Second)
	require.Equal(t, Ballot{42, 1}, r.node.ownBallot())
}

// PML §4.1: a value that might have been chosen is proposed again by the
// next leader; a majority that reports nothing means that none was.
func TestPML41ReproposeWhatMayBeChosen(t *testing.T) {
	r := newRig(t, 3)
	r.step(2, Accept{Ballot: Ballot{1, 2}, Boot: 1, Slot: 1, Value: val("a")})
	b := r.campaign()
	r.step(3, noVotes(b, 1))
	require.Equal(t, []string{"accept 4.1 boot 1 slot 1 " + val("a").String() + " -> 2 3"}, accepts(r.drain()))
}

// PML §4.2: with a stable leader a value costs one round: Accept, Accepted. The
// leader writes while its message is on the way.
func TestPML42OneRoundAndOneWrite(t *testing.T) {
	r := newRig(t, 3)
	b := r.lead()
	r.drain()
	before := len(r.disk.rec.Records)
	require.NoError(t, r.propose("a"))
	require.Len(t, accepts(r.drain()), 1, "sent before the leader's disk has it")
	require.Equal(t, []Record{Voted{1, b, val("a")}}, r.disk.pending)
	r.step(2, Accepted{Ballot: b, Boot: 1, Slot: 1})
	r.step(3, Accepted{Ballot: b, Boot: 1, Slot: 1})
	require.Equal(t, []Entry{{1, val("a")}}, r.delivered, "a quorum without the leader's own disk")
	require.Len(t, r.disk.rec.Records, before)
}

// PML §4.2: commands that come together share one instance of Paxos.
func TestPML42Batching(t *testing.T) {
	r := newRig(t, 3)
	r.lead()
	r.drain()
	for _, c := range []string{"a", "b", "c"} {
		require.NoError(t, r.node.Propose(r.now, []byte(c)))
	}
	r.take()
	want := Batch([]byte("a"), []byte("b"), []byte("c"))
	require.Equal(t, []string{"accept 4.1 boot 1 slot 1 " + want.String() + " -> 2 3"}, accepts(r.drain()))
}

// PML §4.2: a replica that fell behind gets the missing values from the log of
// another one.
func TestPML42CatchUpFromALog(t *testing.T) {
	r := newRig(t, 3, func(c *Config) { c.FetchSlots = 2 })
	r.step(2, Heartbeat{Ballot: Ballot{1, 2}, Boot: 1, Seq: 1, FirstOpen: 4})
	r.drain()
	r.pass(r.cfg.Retransmit)
	require.Equal(t, []string{"fetch [1,3) -> 2"}, r.drain())
	r.step(2, FetchReply{From: 1, Values: []Value{val("a"), val("b")}, FirstOpen: 4})
	require.Equal(t, []string{"fetch [3,4) -> 2"}, r.drain(), "the next page at once")
	r.step(2, FetchReply{From: 3, Values: []Value{Noop}, FirstOpen: 4})
	require.Equal(t, []Entry{{1, val("a")}, {2, val("b")}, {3, Noop}}, r.delivered)
	r.restart()
	require.Len(t, r.delivered, 0, "no message waited for these records; the values can be fetched again")
}

// PML §4.2: what was logged is there after a restart: what was chosen is handed
// out again, from the first slot.
func TestPML42ReplayOfTheLog(t *testing.T) {
	r := newRig(t, 3)
	b := r.lead()
	require.NoError(t, r.propose("a"))
	r.sync()
	r.step(2, Accepted{Ballot: b, Boot: 1, Slot: 1})
	r.sync()
	r.restart()
	require.Equal(t, []Entry{{1, val("a")}}, r.delivered)
}

// PML §5.1: a disk that lost a value must not let the replica go back on what it
// said: the vote is reported, as unreadable, and written again when asked for.
func TestPML51AnUnreadableVoteIsStillAVote(t *testing.T) {
	r := newRig(t, 3)
	r.step(2, Accept{Ballot: Ballot{1, 2}, Boot: 1, Slot: 1, Value: val("a")})
	r.sync()
	r.disk.rec.Records[0] = Unreadable{1, Ballot{1, 2}}
	r.restart()
	r.step(3, Prepare{Ballot: Ballot{2, 3}, Boot: 1, From: 1})
	r.sync()
	require.Equal(t, []string{"promise 2.3 boot 1 [1,) votes 1@1.2=lost open 1 -> 3"}, r.drain())
	r.step(3, Accept{Ballot: Ballot{2, 3}, Boot: 1, Slot: 1, Value: val("a")})
	r.sync()
	require.Equal(t, []string{"accepted 2.3 boot 1 slot 1 -> 3"}, r.drain())
}
