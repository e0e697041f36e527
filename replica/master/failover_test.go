package master_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/db"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/master"
	"github.com/chubbycell/chubby/replica/state/command"
	"github.com/chubbycell/chubby/replica/state/rows"
	"github.com/chubbycell/chubby/replica/state/tree"
)

// ops is one op of each kind that a client sends.
func ops() map[string]api.Request {
	call := func(op api.Op) api.Request { return api.Request{ID: 1, Session: 2, Seq: 1, Op: op} }
	return map[string]api.Request{
		"opening a session": {ID: 1, Op: api.OpenSession{Nonce: api.Nonce{9}}},
		"ending one":        call(api.EndSession{}),
		"a write":           call(api.Put{Key: "k"}),
		"a read":            call(api.Get{Key: "k"}),
		"an open":           call(api.Open{Rights: api.RightRead}),
		"a KeepAlive":       {ID: 1, Session: 2, Op: api.KeepAlive{}},
	}
}

// Until each session has acknowledged the epoch, only KeepAlives are accepted, with authority or without
// (C12.07).
func TestAMasterInFailOverTakesKeepAlivesOnly(t *testing.T) {
	for name, q := range ops() {
		r := newRigWith(t, withLeases())
		r.recover(5)
		r.lease = r.now.Add(time.Second)
		before := len(r.taken)
		r.request(9, q)
		require.Len(t, r.taken, before, name)
		p := r.reply()
		if name == "a KeepAlive" {
			require.Equal(t, api.Result{Code: api.OK, Detail: api.Leased{Lease: 12 * time.Second, Failover: true}}, p.Result)
		} else {
			require.Equal(t, api.Recovering, p.Code, name)
		}
		require.Equal(t, master.Recovering, r.m.Status().State)
	}
}

// A cell is founded once, by its first master, and before anything else.
func TestTheFirstMasterFoundsTheCell(t *testing.T) {
	cfg := withLeases()
	cfg.Secret, cfg.Founding = [32]byte{1, 2}, tree.OpenFounding()
	r := newRigWith(t, cfg)
	r.elect(5)
	r.last()
	require.Equal(t, "recovering (founding)", r.m.Status().String())
	for name, q := range ops() {
		r.request(9, q)
		require.Equal(t, api.Recovering, r.reply().Code, name)
	}
	found, longest := r.taken[1], r.taken[2]
	c, err := command.Decode(string(found.Command))
	require.NoError(t, err)
	require.Equal(t, command.Found{Guard: 1, Founding: cfg.Founding, Secret: cfg.Secret}, c)

	r.m.Refused(r.at(), found, api.Busy)
	r.m.Refused(r.at(), longest, api.Busy)
	n, _ := r.take()
	require.Zero(t, n, "the log is full")
	require.Zero(t, r.m.Wake(r.at()), "and wakes the replica itself")
	r.m.Advance(r.at())
	n, _ = r.take()
	require.Equal(t, 2, n)
	again := r.taken[3:]
	r.raw(again[0].Command)
	require.Equal(t, "recovering (measuring)", r.m.Status().String())
	r.raw(again[1].Command)
	require.Equal(t, master.Serving, r.m.Status().State)
	secret, ok := rows.GetSecret(r.db)
	require.True(t, ok)
	require.Equal(t, cfg.Secret, secret)
	require.Equal(t, 12*time.Second, rows.GetLongestLease(r.db))

	r.elect(7)
	before := len(r.taken)
	r.last()
	require.Equal(t, master.Serving, r.m.Status().State, "there is a cell, and no session to wait for")
	require.Len(t, r.taken, before)
}

func TestWhatCannotBeFoundedIsAFaultOfTheConfiguration(t *testing.T) {
	cfg := withLeases()
	cfg.Secret = [32]byte{1}
	require.ErrorContains(t, cfg.Validate(), "founded")
	cfg.Founding = tree.OpenFounding()
	require.NoError(t, cfg.Validate())
	cfg.Sessions.LeaseMax = 0
	require.ErrorContains(t, cfg.Validate(), "LeaseMax")
}

// If the row of the longest lease is below the shortest lease, as for the first master that grants leases,
// the master raises it before it grants any.
func TestLeasesAreGrantedOnlyWhenTheRowsAllowThem(t *testing.T) {
	r := newRigWith(t, withLeases())
	r.apply(command.Epoch{Master: 2})
	r.session(1)
	r.elect(5)
	r.last()
	require.Equal(t, "recovering (measuring)", r.m.Status().String())
	r.lease = r.now.Add(time.Second)
	keep := api.Request{ID: 1, Session: 2, Op: api.KeepAlive{Now: true}}
	r.request(9, keep)
	require.Equal(t, api.Recovering, r.reply().Code)
	r.last()
	r.request(9, keep)
	require.Equal(t, api.Leased{Lease: 12 * time.Second, Failover: true}, r.reply().Detail)
}

// A fail-over waits for each session that was alive when the epoch began, and for a session that sends
// nothing no longer than the longest lease (C12.06, C12.09).
func TestAFailOverWaitsForEachSession(t *testing.T) {
	r := newRigWith(t, withLeases())
	r.apply(command.Epoch{Master: 2})
	for n := range uint64(3) {
		r.session(n + 1)
	}
	r.apply(command.LongestLease{Guard: 1, Lease: 30 * time.Second})
	r.now = r.now.Add(time.Hour) // no replica was master meanwhile
	r.elect(5)
	r.last()
	start := r.now
	r.lease = r.now.Add(time.Hour)
	flush := func(s api.SessionID, e api.Epoch) {
		r.request(9, api.Request{ID: 1, Session: s, Op: api.KeepAlive{AckedEpoch: e}})
	}
	flush(2, 2)
	require.Empty(t, r.replies, "it has flushed, and its lease is long")
	flush(3, 1)
	require.Equal(t, api.Leased{Lease: 30 * time.Second, Failover: true}, r.reply().Detail, "that was an earlier epoch")
	flush(3, 2)
	require.Equal(t, master.Recovering, r.m.Status().State, "for session 4")
	before := len(r.taken)

	for r.now.Before(start.Add(30*time.Second - 1)) {
		r.now = r.m.Wake(r.at())
		if end := start.Add(30*time.Second - 1); r.now.After(end) {
			r.now = end
		}
		r.m.Advance(r.at())
		r.take()
	}
	for _, p := range r.replies {
		require.Equal(t, api.OK, p.Code)
	}
	require.Len(t, r.taken, before, "nothing ends within the lease")
	r.now = start.Add(30 * time.Second)
	r.m.Advance(r.at())
	r.take()
	require.Len(t, r.taken, before+2)
	require.Equal(t, master.Recovering, r.m.Status().State, "until it is applied")
	require.Equal(t, command.Expire{Guard: 2, Session: 4}, r.raw(r.taken[before].Command).Command)
	require.Equal(t, command.LongestLease{Guard: 2, Lease: 12 * time.Second}, r.last().Command, "none is longer now")
	require.Equal(t, master.Serving, r.m.Status().State)
	require.EqualValues(t, 2, r.m.Status().Sessions)
}

// When its epoch begins, a master remembers the sessions that the rows have then, whatever it remembered
// before (F10).
func TestSessionsThatEndedBeforeTheEpochAreNotWaitedFor(t *testing.T) {
	r := newRigWith(t, withLeases())
	r.apply(command.Epoch{Master: 2})
	s, end := r.session(1), r.session(2)
	r.apply(command.LongestLease{Guard: 1, Lease: 12 * time.Second})
	r.elect(5)
	r.apply(command.Call{Guard: 1, Session: end, Seq: 1, Op: api.EndSession{}}) // below the epoch in the log
	late := r.session(3)
	r.raw(r.taken[0].Command)
	require.EqualValues(t, 2, r.m.Status().Sessions)
	r.request(9, api.Request{ID: 3, Session: late, Op: api.KeepAlive{AckedEpoch: 2}})
	r.request(9, api.Request{ID: 1, Session: end, Op: api.KeepAlive{}})
	require.Equal(t, api.NoSession, r.reply().Code)
	r.request(9, api.Request{ID: 2, Session: s, Op: api.KeepAlive{AckedEpoch: 2}})
	require.Equal(t, master.Serving, r.m.Status().State)
}

// A session that is opened in the epoch need not acknowledge it.
func TestANewSessionIsNotAskedToFlush(t *testing.T) {
	r := newRigWith(t, withLeases())
	r.elect(5)
	r.last()
	r.last()
	s := r.session(1)
	r.lease = r.now.Add(time.Second)
	r.request(9, api.Request{ID: 1, Session: s, Op: api.KeepAlive{Now: true}})
	require.Equal(t, api.Leased{Lease: 12 * time.Second}, r.reply().Detail)
}

// Without leases a fail-over waits for no session.
func TestWithoutLeasesAFailOverEndsAtOnce(t *testing.T) {
	r := newRig(t)
	r.apply(command.Epoch{Master: 2})
	s := r.session(1)
	r.serve(5)
	r.request(9, api.Request{ID: 1, Session: s, Op: api.KeepAlive{}})
	require.Equal(t, api.Invalid, r.reply().Code)
	require.Zero(t, r.m.Wake(r.at()))
}

func TestOnlyTheSessionsOwnPrincipalIsServed(t *testing.T) {
	r := newRigWith(t, withLeases())
	r.recover(5)
	r.lease = r.now.Add(time.Second)
	for name, q := range ops() {
		if q.Session == 0 {
			continue
		}
		q.Epoch = 2
		r.m.Request(r.at(), 9, "bob", q)
		r.take()
		want := api.Recovering
		if name == "a KeepAlive" {
			want = api.Permission
		}
		require.Equal(t, want, r.reply().Code, name)
	}
	r.request(9, api.Request{ID: 1, Session: 2, Op: api.KeepAlive{AckedEpoch: 2}})
	for name, q := range ops() {
		if q.Session == 0 {
			continue
		}
		q.Epoch = 2
		r.m.Request(r.at(), 9, "bob", q)
		r.take()
		require.Equal(t, api.Permission, r.reply().Code, name)
	}
}

// A master remembers the sessions in the rows; a follower remembers none.
func TestAFollowerRemembersNothing(t *testing.T) {
	m := master.New(withLeases(), 0)
	d := db.New()
	for _, c := range []command.Command{
		command.Epoch{Master: 2},
		command.Call{Guard: 1, Op: api.OpenSession{Nonce: api.Nonce{1}}, Principal: "ann"},
		command.Expire{Guard: 1, Session: 2},
		command.ConfirmLeadership{Guard: 1},
		command.LongestLease{Guard: 1, Lease: time.Second},
	} {
		tx := d.Begin()
		a := command.Apply(tx, string(command.Append(nil, c)))
		tx.Commit()
		require.Equal(t, command.Executed, a.Verdict)
		m.Applied(master.At{Rows: d}, a)
		require.Zero(t, m.Status().Sessions)
		require.Empty(t, m.TakeOutput(time.Time{}, plenty))
	}
}

// A full log refuses the end of a session, but a KeepAlive of another session is answered: it needs no
// command.
func TestAFullLogDelaysNoKeepAlive(t *testing.T) {
	r := newRigWith(t, withLeases())
	r.elect(5)
	r.last()
	r.last()
	start := r.now
	after := func(d time.Duration) { r.now = start.Add(d) }
	r.lease = start.Add(time.Hour)
	gone := r.session(1)
	after(6 * time.Second)
	s := r.session(2) // until second 18: it is answered when 5 s are left
	r.request(9, api.Request{ID: 1, Session: s, Op: api.KeepAlive{}})

	for _, at := range []time.Duration{12 * time.Second, 13 * time.Second} {
		after(at)
		r.m.Advance(r.at())
		n, _ := r.take()
		require.Equal(t, 1, n, "its lease is over")
		end := r.taken[len(r.taken)-1]
		require.Equal(t, command.Append(nil, command.Expire{Guard: 1, Session: gone}), end.Command)
		r.m.Refused(r.at(), end, api.Busy)
		n, _ = r.take()
		require.Zero(t, n, "not at once: the log is still full")
		require.True(t, r.m.Wake(r.at()).After(r.now), "nor woken for at once")
		if at == 12*time.Second {
			require.Equal(t, start.Add(13*time.Second), r.m.Wake(r.at()))
			require.Empty(t, r.replies)
		}
	}
	require.Equal(t, api.Leased{Lease: 19 * time.Second}, r.reply().Detail, "12 s from now, told from when it was asked")

	r.lease = r.now
	require.Zero(t, r.m.Wake(r.at()), "without authority the log has to be asked, which wakes the replica itself")
}
