package master_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/db"
	"github.com/chubbycell/chubby/internal/invariant"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/master"
	"github.com/chubbycell/chubby/replica/master/fairqueue"
	"github.com/chubbycell/chubby/replica/master/nodeops"
	"github.com/chubbycell/chubby/replica/master/session"
	"github.com/chubbycell/chubby/replica/state/command"
	"github.com/chubbycell/chubby/replica/state/rows"
)

// rig is a Master, number 1, with a log that tests fill by hand.
type rig struct {
	t       *testing.T
	m       *master.Master
	db      *db.DB
	now     time.Time
	lease   time.Time         // read authority
	taken   []master.Proposal // in the order of TakeOutput
	replies []master.Reply
}

// plenty is more room than a test fills.
const plenty = 1 << 20

func newRig(t *testing.T) *rig { return newRigWith(t, plain()) }

func newRigWith(t *testing.T, cfg master.Config) *rig {
	return &rig{t: t, m: master.New(cfg, 0), db: db.New(), now: time.Unix(100, 0)}
}

func (r *rig) at() master.At { return master.At{Now: r.now, Lease: r.lease, Rows: r.db} }

// take collects the output and returns how many proposals and replies were in it.
func (r *rig) take() (proposals, replies int) {
	out := r.m.TakeOutput(time.Time{}, plenty)
	r.taken = append(r.taken, out.Propose...)
	r.replies = append(r.replies, out.Replies...)
	return len(out.Propose), len(out.Replies)
}

// raw applies these bytes as the next command of the log.
func (r *rig) raw(b []byte) command.Applied {
	tx := r.db.Begin()
	a := command.Apply(tx, string(b))
	tx.Commit()
	r.m.Applied(r.at(), a)
	r.take()
	return a
}

func (r *rig) apply(c command.Command) command.Applied { return r.raw(command.Append(nil, c)) }

// last applies the last proposal.
func (r *rig) last() command.Applied { return r.raw(r.taken[len(r.taken)-1].Command) }

func ballot(round uint64) rows.Ballot { return rows.Ballot{Round: round, Node: 1} }

// elect begins a tenure of the replica; serve brings it to serving.
func (r *rig) elect(round uint64) {
	r.m.Tenure(master.Tenure{Leader: 1, Ballot: ballot(round), Mine: true})
	r.take()
}

func (r *rig) serve(round uint64) {
	r.elect(round)
	r.last()
	require.Equal(r.t, master.Serving, r.m.Status().State)
}

// plain is the configuration of a cell whose sessions live until they end.
func plain() master.Config {
	return master.Config{ID: 1, MaxPending: 6, Share: fairqueue.Limits{Commands: 256, Bytes: 1 << 20}, NodeOps: nodeops.DefaultConfig()}
}

// withLeases is the configuration of a cell whose sessions have leases of 12 s.
func withLeases() master.Config {
	cfg := plain()
	cfg.Sessions = session.Config{LeaseMin: 12 * time.Second, LeaseMax: time.Minute, KeepAliveRate: 1000}
	return cfg
}

// recover makes the replica take over a cell with session 2, whose client sends nothing after that.
func (r *rig) recover(round uint64) {
	r.apply(command.Epoch{Master: 2})
	r.session(1)
	r.apply(command.LongestLease{Guard: 1, Lease: 12 * time.Second})
	r.elect(round)
	r.last()
	require.Equal(r.t, master.Recovering, r.m.Status().State)
}

// session opens a session of ann's by the log.
func (r *rig) session(nonce uint64) api.SessionID {
	a := r.apply(command.Call{Guard: rows.GetEpoch(r.db).Number, Op: api.OpenSession{Nonce: api.Nonce{nonce}}, Principal: "ann"})
	require.Equal(r.t, api.OK, a.Result.Code)
	return a.Result.Session
}

func put(id uint64, s api.SessionID, seq api.Seq) api.Request {
	return api.Request{ID: id, Session: s, Seq: seq, Op: api.Put{Key: "k", Value: "v"}}
}

// request names the present epoch, if it names none.
func (r *rig) request(from master.Addr, q api.Request) {
	if q.Session != 0 && q.Epoch == 0 {
		q.Epoch = r.m.Status().Epoch
	}
	r.m.Request(r.at(), from, "ann", q)
	r.take()
}

// reply returns the only reply since its last call.
func (r *rig) reply() master.Reply {
	r.t.Helper()
	require.Len(r.t, r.replies, 1)
	p := r.replies[0]
	r.replies = nil
	return p
}

func breaks(t *testing.T, id invariant.ID, f func()) {
	t.Helper()
	v := invariant.Caught(f)
	require.NotNil(t, v, "no invariant was broken")
	require.Equal(t, id, v.ID)
}

func TestARequestBecomesAGuardedCommandAndItsResultTheAnswer(t *testing.T) {
	r := newRig(t)
	r.serve(5)
	s := r.session(1)
	q := api.Request{ID: 77, Session: s, Seq: 4, AckedThrough: 2, Op: api.CompareAndSet{Key: "k", Expect: "x", Value: "y"}}
	r.request(9, q)
	require.Empty(t, r.replies, "nothing is said before it is applied")
	c, err := command.Decode(string(r.taken[len(r.taken)-1].Command))
	require.NoError(t, err)
	require.Equal(t, command.Call{Guard: 1, Session: s, Seq: 4, AckedThrough: 2, Op: q.Op}, c)
	r.last()
	require.Equal(t, master.Reply{To: 9, Reply: api.Reply{
		ID: 77, Session: s, Seq: 4, Epoch: 1, Master: 1, Result: api.Result{Code: api.Conflict},
	}}, r.reply())
	require.Zero(t, r.m.Status().Pending)
}

func TestReadsGoThroughTheLog(t *testing.T) {
	for _, op := range []api.Op{api.Get{Key: "k"}, api.List{}} {
		r := newRig(t)
		r.serve(5)
		s := r.session(1)
		before := len(r.taken)
		r.request(9, api.Request{Session: s, Seq: 1, Op: op})
		require.Len(t, r.taken, before+1)
		require.Empty(t, r.replies)
	}
}

func TestAnOpenedSessionIsTold(t *testing.T) {
	r := newRig(t)
	r.serve(5)
	r.request(9, api.Request{ID: 3, Op: api.OpenSession{Nonce: api.Nonce{1, 2}}})
	r.request(9, api.Request{ID: 4, Op: api.OpenSession{Nonce: api.Nonce{1, 2}}}) // a copy
	r.request(8, api.Request{ID: 5, Op: api.OpenSession{Nonce: api.Nonce{1, 3}}}) // another client
	require.Len(t, r.taken, 3, "epoch, and one command for each nonce")
	r.raw(r.taken[1].Command)
	p := r.reply()
	require.Equal(t, master.Addr(9), p.To)
	require.EqualValues(t, 4, p.ID)
	require.EqualValues(t, 2, p.Result.Session)
	r.raw(r.taken[2].Command)
	require.EqualValues(t, 3, r.reply().Result.Session)
}

func TestACopyOfAWaitingRequestOnlyMovesTheAnswer(t *testing.T) {
	r := newRig(t)
	r.serve(5)
	s := r.session(1)
	r.request(9, put(1, s, 1))
	r.request(10, put(2, s, 1))
	require.EqualValues(t, 1, r.m.Status().Counters.Merged)
	require.EqualValues(t, 1, r.m.Status().Counters.Proposed)
	r.last()
	p := r.reply()
	require.Equal(t, master.Addr(10), p.To)
	require.EqualValues(t, 2, p.ID)
}

func TestBeyondMaxPendingIsBusyAndNotProposed(t *testing.T) {
	r := newRig(t)
	r.serve(5)
	s := r.session(1)
	for seq := api.Seq(1); seq <= 3; seq++ {
		r.request(9, put(uint64(seq), s, seq))
	}
	before := len(r.taken)
	r.request(9, put(4, s, 4))
	require.Equal(t, api.Busy, r.reply().Result.Code)
	require.Len(t, r.taken, before)
	r.request(9, put(5, s, 3)) // a copy of a waiting one needs no room
	require.Empty(t, r.replies)
	require.Equal(t, 3, r.m.Status().Pending)
	r.last()
	require.Equal(t, api.OK, r.reply().Result.Code)
	r.request(9, put(6, s, 4))
	require.Len(t, r.taken, before+1)
}

func TestWhatIsWrongInAnyStateIsSaidAtOnce(t *testing.T) {
	for _, q := range []api.Request{
		{ID: 1, Session: 1, Seq: 1},
		{ID: 1, Session: 1, Seq: 1, Op: api.Get{}},
		{ID: 1, Session: 0, Seq: 1, Op: api.Get{Key: "k"}},
		{ID: 1, Op: api.OpenSession{}},
	} {
		r := newRig(t)
		r.request(9, q)
		require.Equal(t, api.Invalid, r.reply().Result.Code)
		r.serve(5)
		r.request(9, q)
		require.Equal(t, api.Invalid, r.reply().Result.Code)
		require.Len(t, r.taken, 1, "nothing but the epoch was proposed")
	}
}

func TestWhatTheLogDoesNotTakeIsAnswered(t *testing.T) {
	for _, code := range []api.Code{api.Busy, api.TooLarge, api.NotMaster} {
		r := newRig(t)
		r.serve(5)
		s := r.session(1)
		r.request(9, put(1, s, 1))
		p := r.taken[len(r.taken)-1]
		r.m.Refused(r.at(), p, code)
		r.m.Refused(r.at(), p, code) // no call waits for it now
		r.take()
		require.Equal(t, code, r.reply().Result.Code)
		require.Zero(t, r.m.Status().Pending)
	}
}

func TestAnEpochTheLogDoesNotTakeIsProposedAgain(t *testing.T) {
	r := newRig(t)
	r.elect(5)
	r.m.Advance(r.at())
	n, _ := r.take()
	require.Zero(t, n, "once is enough")
	first := r.taken[0]
	r.m.Refused(r.at(), first, api.Busy)
	n, _ = r.take()
	require.Zero(t, n, "not at once: the log is still full")
	r.m.Advance(r.at())
	n, _ = r.take()
	require.Equal(t, 1, n)
	require.Equal(t, first.Command, r.taken[1].Command)
	r.m.Advance(r.at())
	n, _ = r.take()
	require.Zero(t, n)

	r.elect(6)
	r.m.Refused(r.at(), first, api.Busy) // of the tenure before
	r.m.Advance(r.at())
	n, _ = r.take()
	require.Zero(t, n)
}

// The constants find a replica that is configured otherwise than its cell, so they must get into the log,
// however full it is.
func TestAConstantTheLogDoesNotTakeIsProposedAgain(t *testing.T) {
	r := newRig(t)
	r.serve(5)
	r.m.SetConstant("rho", "200")
	r.take()
	first := r.taken[len(r.taken)-1]
	r.m.Refused(r.at(), first, api.Busy)
	n, _ := r.take()
	require.Zero(t, n, "not at once: the log is still full")
	r.m.Advance(r.at())
	n, _ = r.take()
	require.Equal(t, 1, n)
	again := r.taken[len(r.taken)-1]
	require.Equal(t, first.Command, again.Command)
	r.m.Advance(r.at())
	n, _ = r.take()
	require.Zero(t, n)
	r.m.Refused(r.at(), again, api.Busy)

	r.serve(6)
	r.m.Advance(r.at())
	n, _ = r.take()
	require.Zero(t, n, "another tenure looks for itself")
}

func TestConfigNamesAllItsFaults(t *testing.T) {
	err := master.Config{}.Validate()
	require.ErrorContains(t, err, "replica id 0")
	require.ErrorContains(t, err, "MaxPending")
	require.Panics(t, func() { master.New(master.Config{}, 0) })
}

func TestTheMasterIsToldEveryEpoch(t *testing.T) {
	m := master.New(plain(), 7) // as recovered
	began := func(n api.Epoch) command.Applied {
		return command.Applied{Effects: []command.Effect{command.EpochBegan{Epoch: rows.Epoch{Number: n, Master: 2}}}}
	}
	m.Applied(master.At{}, began(8))
	require.EqualValues(t, 8, m.Status().Epoch)
	breaks(t, "I-E1", func() { m.Applied(master.At{}, began(10)) })
	breaks(t, "I-E1", func() { m.Applied(master.At{}, began(8)) })
}

// A master that has missed the opening of a session stops, and says which session it is.
func TestASessionThatIsNotRememberedIsNamed(t *testing.T) {
	r := newRig(t)
	r.serve(5)
	r.session(1)
	require.NotPanics(t, func() { r.m.Verify(r.at()) })
	tx := r.db.Begin()
	missed := command.Apply(tx, string(command.Append(nil, command.Call{Guard: 1, Op: api.OpenSession{Nonce: api.Nonce{2}}, Principal: "ann"})))
	tx.Commit()
	v := invariant.Caught(func() { r.m.Verify(r.at()) })
	require.NotNil(t, v)
	require.Equal(t, fmt.Sprintf("2 sessions are alive, 1 are remembered; not remembered is session %d", missed.Result.Session), v.Text)
}
