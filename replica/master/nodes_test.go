package master_test

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/master"
	"github.com/chubbycell/chubby/replica/state/command"
	"github.com/chubbycell/chubby/replica/state/rows"
	"github.com/chubbycell/chubby/replica/state/tree"
)

// newNodes returns a rig in a founded cell that serves in epoch 1 with authority, and a session of
// ann's.
func newNodes(t *testing.T) (r *rig, s api.SessionID) {
	cfg := plain()
	cfg.Secret, cfg.Founding = [32]byte{1}, tree.OpenFounding()
	r = newRigWith(t, cfg)
	r.elect(5)
	r.last()
	r.last()
	require.Equal(t, master.Serving, r.m.Status().State)
	r.lease = r.now.Add(time.Hour)
	return r, r.session(1)
}

// newLeasedNodes returns a rig in a founded cell whose sessions have leases. It serves in epoch 1, without
// authority.
func newLeasedNodes(t *testing.T, cfg master.Config) *rig {
	cfg.Secret, cfg.Founding = [32]byte{1}, tree.OpenFounding()
	r := newRigWith(t, cfg)
	r.elect(5)
	for i := range 3 { // epoch, tree, longest lease
		r.raw(r.taken[i].Command)
	}
	require.Equal(t, master.Serving, r.m.Status().State)
	return r
}

// file opens a file that is made, and returns its token.
func (r *rig) file(s api.SessionID, seq api.Seq, path string) api.Token {
	r.request(9, api.Request{ID: 1, Session: s, Seq: seq, Op: api.Open{
		Path: path, Rights: api.RightRead | api.RightWrite, Create: api.CreateMay, Kind: api.File,
	}})
	r.last()
	return r.reply().Detail.(api.Opened).Token
}

func TestACallOnANodeBecomesAnActAndItsResultTheAnswer(t *testing.T) {
	r, s := newNodes(t)
	token := r.file(s, 1, "a")
	q := api.Request{ID: 7, Session: s, Seq: 2, AckedThrough: 1, Op: api.SetContents{Handle: token, Contents: "x"}}
	r.request(9, q)
	require.Equal(t, 1, r.m.Status().Pending)
	q.ID = 8
	r.request(10, q) // a copy, from elsewhere
	require.Empty(t, r.replies)
	c, ok := r.last().Command.(command.NodeCommand)
	require.True(t, ok)
	require.Equal(t, command.NodeCommand{Guard: 1, Session: s, Seq: 2, AckedThrough: 1, Op: c.Op}, c)
	p := r.reply()
	require.Equal(t, master.Addr(10), p.To)
	require.EqualValues(t, 8, p.ID)
	require.Equal(t, api.OK, p.Code)
	require.Zero(t, r.m.Status().Pending)
}

// Observers are told of answers that were given at once, and not of those that the log has decided.
func TestAnswersByAuthorityAreReads(t *testing.T) {
	r, s := newNodes(t)
	token := r.file(s, 1, "a")
	ask := func(seq api.Seq, op api.Op) master.Output {
		r.m.Request(r.at(), 9, "ann", api.Request{ID: 1, Session: s, Seq: seq, Epoch: 1, Op: op})
		return r.m.TakeOutput(time.Time{}, plenty)
	}
	out := ask(2, api.GetStat{Handle: token})
	require.Len(t, out.Replies, 1)
	require.Equal(t, []master.Read{{Session: s, Seq: 2, Result: out.Replies[0].Result, Now: r.now}}, out.Reads)
	require.Empty(t, ask(3, api.SetContents{Handle: token}).Reads)
	out = ask(4, api.CloseHandle{Handle: token})
	require.Equal(t, api.OK, out.Reads[0].Result.Code)
	r.lease = time.Time{}
	out = ask(5, api.GetStat{Handle: token})
	require.Empty(t, out.Reads)
	require.Len(t, out.Propose, 1, "the refusal needs the log")
}

func TestACellWithoutATreeHasNoNodes(t *testing.T) {
	r := newRig(t)
	r.serve(5)
	s := r.session(1)
	r.request(9, api.Request{ID: 1, Session: s, Seq: 1, Op: api.Open{Rights: api.RightRead}})
	require.Equal(t, api.Invalid, r.reply().Code)
	_, ok := r.m.NodeOps()
	require.False(t, ok)
}

func TestASessionThatIsNotThereHasNoHandles(t *testing.T) {
	r, s := newNodes(t)
	r.request(9, api.Request{ID: 1, Session: s + 50, Seq: 1, Op: api.Open{Rights: api.RightRead}})
	require.Equal(t, api.NoSession, r.reply().Code)
	r.lease = time.Time{}
	r.request(9, api.Request{ID: 1, Session: s + 50, Seq: 1, Op: api.Open{Rights: api.RightRead}})
	require.Equal(t, api.NoSession, r.reply().Code, "that needs no authority")
}

// One bound holds for all calls that are proposed. Acquires that wait for a lock do not count in it.
func TestCallsOnNodesAndOnRowsShareOneBound(t *testing.T) {
	r, s := newNodes(t)
	token := r.file(s, 1, "a")
	for seq := api.Seq(2); seq < 5; seq++ {
		if seq == 3 {
			r.request(9, put(1, s, seq))
		} else {
			r.request(9, api.Request{ID: 1, Session: s, Seq: seq, Op: api.SetContents{Handle: token}})
		}
	}
	require.Empty(t, r.replies)
	r.request(9, api.Request{ID: 2, Session: s, Seq: 5, Op: api.SetContents{Handle: token}})
	require.Equal(t, api.Later, r.reply().Code)
	r.request(9, put(3, s, 6))
	require.Equal(t, api.Later, r.reply().Code)
	r.request(9, api.Request{ID: 4, Session: s, Seq: 4, Op: api.SetContents{Handle: token}})
	require.Empty(t, r.replies, "a copy of one that waits needs no room")
}

// A deposed master answers the calls that it has proposed when it knows their outcome, and answers
// NotMaster to those that wait for a lock.
func TestADeposedMasterAnswersForItsNodes(t *testing.T) {
	r, s := newNodes(t)
	other := r.session(2)
	mine, theirs := r.file(s, 1, "a"), r.file(other, 1, "a")
	r.request(9, api.Request{ID: 3, Session: other, Seq: 2, Op: api.Acquire{Handle: theirs, Mode: api.Exclusive}})
	r.last()
	r.reply()
	r.request(9, api.Request{ID: 4, Session: s, Seq: 2, Op: api.Acquire{Handle: mine, Mode: api.Exclusive, Wait: true}})
	require.Equal(t, api.Parked, r.reply().Code)
	r.request(9, api.Request{ID: 5, Session: s, Seq: 3, Op: api.SetContents{Handle: mine, Contents: "x"}})
	act := r.taken[len(r.taken)-1].Command
	r.apply(command.Epoch{Master: 2, Ballot: rows.Ballot{Round: 8, Node: 2}})
	p := r.reply()
	require.EqualValues(t, 4, p.ID)
	require.Equal(t, api.NotMaster, p.Code)
	require.EqualValues(t, 2, p.Master)
	require.Equal(t, 1, r.m.Status().Pending)
	r.raw(act)
	p = r.reply()
	require.EqualValues(t, 5, p.ID)
	require.Equal(t, api.Aborted, p.Code)
}

// When a tenure ends, all calls that wait are answered NotMaster, in order.
func TestTheEndOfATenureTellsWhoWaitsForNodesToo(t *testing.T) {
	r, s := newNodes(t)
	token := r.file(s, 1, "a")
	r.request(9, api.Request{ID: 2, Session: s, Seq: 3, Op: api.SetContents{Handle: token}})
	r.request(9, put(3, s, 2))
	r.m.Tenure(master.Tenure{Leader: 2})
	r.take()
	require.Len(t, r.replies, 2)
	require.EqualValues(t, 3, r.replies[0].ID)
	require.EqualValues(t, 2, r.replies[1].ID)
	_, ok := r.m.NodeOps()
	require.False(t, ok)
}

// AckedThrough counts in every kind of call: a call on a row can give up an Acquire that waits.
func TestSeenInACallOnARowReachesNodeOps(t *testing.T) {
	r, s := newNodes(t)
	other := r.session(2)
	mine, theirs := r.file(s, 1, "a"), r.file(other, 1, "a")
	r.request(9, api.Request{ID: 3, Session: other, Seq: 2, Op: api.Acquire{Handle: theirs, Mode: api.Exclusive}})
	r.last()
	r.reply()
	r.request(9, api.Request{ID: 4, Session: s, Seq: 2, Op: api.Acquire{Handle: mine, Mode: api.Exclusive, Wait: true}})
	r.reply()
	for _, op := range []api.Op{api.Put{Key: "k"}, api.Get{Key: "k"}} {
		r.request(9, api.Request{ID: 5, Session: s, Seq: 3, AckedThrough: 2, Op: op})
	}
	require.Equal(t, api.Stale, r.replies[0].Code)
	require.EqualValues(t, 4, r.replies[0].ID)
}

// A session with an open handle is not idle, and one without is.
func TestAnOpenHandleKeepsASession(t *testing.T) {
	cfg := withLeases()
	cfg.Sessions.IdleAfter = time.Second
	r := newLeasedNodes(t, cfg)
	s := r.session(1)
	r.lease = r.now.Add(time.Hour)
	token := r.file(s, 1, "a")
	keep := func(id uint64) []master.Reply {
		r.request(9, api.Request{ID: id, Session: s, Op: api.KeepAlive{Now: true}})
		replies := r.replies
		r.replies = nil
		return replies
	}
	r.now = r.now.Add(2 * time.Second)
	require.Len(t, keep(2), 1)
	r.request(9, api.Request{ID: 3, Session: s, Seq: 2, Op: api.CloseHandle{Handle: token}})
	require.Equal(t, api.OK, r.reply().Code)
	r.now = r.now.Add(2 * time.Second)
	require.Empty(t, keep(4))
}

// Reads keep a session from being idle, wherever their answers come from.
func TestAReadKeepsASession(t *testing.T) {
	cfg := withLeases()
	cfg.Sessions.IdleAfter = time.Second
	r := newRigWith(t, cfg)
	r.elect(5)
	for i := range 2 { // epoch, longest lease
		r.raw(r.taken[i].Command)
	}
	s := r.session(1)
	r.lease = r.now.Add(time.Hour)
	r.request(9, api.Request{ID: 2, Session: s, Op: api.KeepAlive{Now: true}})
	require.Equal(t, api.OK, r.reply().Code, "a session that was told of no lease is not idle")
	r.now = r.now.Add(2 * time.Second)
	r.request(9, api.Request{ID: 3, Session: s, Seq: 1, Op: api.Get{Key: "k"}})
	require.Equal(t, api.NotFound, r.reply().Code)
	r.request(9, api.Request{ID: 4, Session: s, Op: api.KeepAlive{Now: true}})
	require.Equal(t, api.OK, r.reply().Code)
}

// A call under way keeps its session, and its answer is a use of it.
func TestACallUnderWayKeepsASession(t *testing.T) {
	cfg := withLeases()
	cfg.Sessions.IdleAfter = time.Second
	r := newRigWith(t, cfg)
	r.elect(5)
	for i := range 2 { // epoch, longest lease
		r.raw(r.taken[i].Command)
	}
	s := r.session(1)
	r.lease = r.now.Add(time.Hour)
	keep := func(id uint64) {
		r.request(9, api.Request{ID: id, Session: s, Op: api.KeepAlive{Now: true}})
	}
	keep(2)
	require.Equal(t, api.OK, r.reply().Code, "a session that was told of no lease is not idle")
	r.request(9, api.Request{ID: 3, Session: s, Seq: 1, Op: api.Put{Key: "k", Value: "v"}})
	r.now = r.now.Add(2 * time.Second)
	keep(4)
	require.Equal(t, api.OK, r.reply().Code, "the call is under way")
	r.last()
	require.EqualValues(t, 3, r.reply().ID)
	r.now = r.now.Add(time.Second - 1)
	keep(5)
	require.Equal(t, api.OK, r.reply().Code, "the call was answered lately")
	r.now = r.now.Add(1)
	keep(6)
	require.Empty(t, r.replies, "the session is idle")
}

// The master repeats an answer that it gave from memory until the client acknowledges it: with its next call
// or, if it makes none, its next KeepAlive.
func TestAKeepAliveDropsTheAnswersThatItsClientHas(t *testing.T) {
	r := newLeasedNodes(t, withLeases())
	r.lease = r.now.Add(time.Hour)
	s := r.session(1)
	q := api.Request{ID: 1, Session: s, Seq: 1, Epoch: 1, Op: api.Open{Path: "a", Rights: api.RightRead, Create: api.CreateMay, Kind: api.File}}
	code := func() api.Code {
		q.ID++
		r.request(9, q)
		return r.reply().Result.Code
	}
	r.request(9, q)
	r.last()
	require.Equal(t, api.OK, r.reply().Result.Code)
	keep := api.Request{ID: 50, Session: s, Epoch: 1, Op: api.KeepAlive{AckedEpoch: 1}}
	r.request(10, keep)
	require.Equal(t, api.OK, code(), "it has not said that it has the answer")
	keep.ID, keep.AckedThrough = 51, 1
	r.request(10, keep)
	require.Equal(t, api.Stale, code())
	// A client that acknowledges every number harms itself alone; an old KeepAlive that arrives late takes nothing back.
	other := r.session(2)
	for _, through := range []api.Seq{math.MaxUint64, 1} {
		keep.ID, keep.AckedThrough = keep.ID+1, through
		r.request(10, keep)
	}
	q.Seq, q.AckedThrough = 9, 8
	require.Equal(t, api.Stale, code())
	require.NotPanics(t, func() { r.m.Verify(r.at()) })
	q.Session, q.Seq, q.AckedThrough = other, 1, 0
	require.Equal(t, api.OK, code())
}
