package paxos

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// decided makes slots 1..n chosen at a lone node, one command each.
func decided(t *testing.T, n int) *rig {
	r := newRig(t, 1, func(c *Config) { c.MaxBatchCommands = 1 })
	r.pass(r.cfg.ElectionMax)
	r.sync()
	for range n {
		require.NoError(t, r.propose("x"))
		r.sync()
	}
	require.Equal(t, Slot(n+1), r.node.Status().FirstOpen)
	return r
}

func TestNothingIsForgottenThatWasNotApplied(t *testing.T) {
	r := decided(t, 4)
	r.node.Applied(3)
	r.node.Truncate(r.now, 4)
	require.Equal(t, Slot(4), r.node.Status().Floor)
	r.node.Truncate(r.now, 2)
	require.Equal(t, Slot(4), r.node.Status().Floor, "it never goes back")
	require.PanicsWithError(t, "invariant I-L4 broken: node 1: would drop the slots below 5 and has applied only those up to 3",
		func() { r.node.Truncate(r.now, 5) })
}

// What stands below a snapshot without a gap is kept over a restart, for
// laggards; the slots up to the snapshot are not handed out again.
func TestARestartBeginsAboveTheSnapshotAndKeepsWhatReachesIt(t *testing.T) {
	b := Ballot{1, 1}
	for _, c := range []struct {
		claim   string
		records []Record
		floor   Slot // of the disk
		kept    Slot // lowest slot that is still known
		told    int
		open    Slot
	}{
		{"nothing in the log", nil, 5, 5, 0, 5},
		{"nothing dropped", []Record{Voted{1, b, val("a")}, Settled{Range{1, 2}}, Learned{2, val("b")}, Learned{3, val("c")}, Learned{4, val("d")}}, 0, 1, 0, 5},
		{"a gap below", []Record{Learned{2, val("b")}, Learned{4, val("d")}, Learned{5, val("e")}}, 2, 4, 1, 6},
		{"a vote that is not known as chosen is a gap", []Record{Learned{2, val("b")}, Learned{3, val("c")}, Voted{4, b, val("d")}}, 2, 5, 0, 5},
		{"records of dropped slots are ignored", []Record{Voted{1, b, val("a")}, Learned{3, val("c")}, Learned{4, val("d")}}, 3, 3, 0, 5},
	} {
		cfg := DefaultConfig()
		cfg.ID, cfg.Members = 1, []NodeID{1, 2, 3}
		rec := Recovered{Boot: 1, Promise: b, Snapshot: Handle{Slot: 4, Members: cfg.Members}, Floor: c.floor, Records: c.records, Next: 20}
		n := New(cfg, rec, time.Unix(1, 0))
		s := n.Status()
		require.Equal(t, c.kept, s.Floor, c.claim)
		require.Equal(t, c.open, s.FirstOpen, c.claim)
		require.Equal(t, Slot(4), s.Applied, c.claim)
		require.Len(t, n.TakeOutput().Chosen, c.told, c.claim)
		require.Equal(t, int(c.open-c.kept), len(n.learner.chosenValues(Range{From: c.kept, To: 99}, pageLimits{items: 99, bytes: 9999})), c.claim)
	}
}

func TestADiskThatLacksMoreThanItsSnapshotCoversIsRefused(t *testing.T) {
	cfg := DefaultConfig()
	cfg.ID, cfg.Members = 1, []NodeID{1}
	require.Panics(t, func() { New(cfg, Recovered{Floor: 2}, time.Unix(1, 0)) })
	require.NotPanics(t, func() { New(cfg, Recovered{Floor: 5, Snapshot: Handle{Slot: 4}}, time.Unix(1, 0)) })
}

// An accept in a dropped slot is neither voted on nor refused.
func TestAnAcceptInADroppedSlotIsNotAnswered(t *testing.T) {
	r := newRig(t, 3)
	r.step(2, Accept{Ballot: Ballot{2, 2}, Boot: 1, Slot: 1, Value: val("a")})
	r.sync()
	require.True(t, r.node.Installed(r.now, Handle{Slot: 3, Members: r.cfg.Members}))
	r.drain()
	r.step(2, Accept{Ballot: Ballot{2, 2}, Boot: 1, Slot: 2, Value: val("b")})
	r.sync()
	require.Empty(t, r.drain())
	require.EqualValues(t, 1, r.node.Status().Count.InstalledOverVote)
}

// Chosen slots that were not taken yet are part of the snapshot.
func TestWhatWasNotTakenIsNotHandedOutAfterAnInstall(t *testing.T) {
	r := newRig(t, 3)
	r.node.Step(r.now, 2, FetchReply{From: 1, Values: []Value{val("a")}, FirstOpen: 9, Floor: 1})
	r.node.Step(r.now, 2, FetchReply{From: 5, Values: []Value{val("e")}, FirstOpen: 9, Floor: 1})
	require.True(t, r.node.Installed(r.now, Handle{Slot: 4, Members: r.cfg.Members}))
	require.Equal(t, []Entry{{Slot: 5, Value: val("e")}}, r.take().Chosen)
}

func TestALeaderThatIsGivenASnapshotGivesUp(t *testing.T) {
	r := newRig(t, 3)
	r.lead()
	require.NoError(t, r.propose("a"))
	require.True(t, r.node.Installed(r.now, Handle{Slot: 3, Members: r.cfg.Members}))
	out := r.take()
	require.NotNil(t, out.Tenure)
	require.False(t, out.Tenure.Mine)
	require.Equal(t, Follower, r.node.Status().Role)
	require.ErrorIs(t, r.propose("b"), ErrNotLeader)
}

func TestHighestSlot(t *testing.T) {
	b := Ballot{1, 1}
	for slot, rs := range map[Slot][]Record{
		0: {Booted{Boot: 3}, Promised{b}},
		7: {Voted{7, b, ""}, Unreadable{7, b}, Learned{7, ""}, Settled{Range{2, 8}}},
	} {
		for _, r := range rs {
			require.Equal(t, slot, HighestSlot(r), "%v", r)
		}
	}
}
