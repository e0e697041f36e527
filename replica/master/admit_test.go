package master_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/master"
	"github.com/chubbycell/chubby/replica/state/command"
	"github.com/chubbycell/chubby/replica/state/rows"
)

// A master accepts requests of its own epoch only, whether they are about nodes or user rows, reads or
// writes (C12.04).
func TestAMasterTakesRequestsOfItsEpochOnly(t *testing.T) {
	const taken = api.Code(0)
	r := newRig(t)
	r.apply(command.Epoch{Master: 2, Ballot: rows.Ballot{Round: 1, Node: 2}})
	r.serve(5)
	s := r.session(1)
	require.EqualValues(t, 2, r.m.Status().Epoch)
	for _, c := range []struct {
		epoch  api.Epoch
		code   api.Code
		master uint32
	}{
		{0, api.OldEpoch, 1},
		{1, api.OldEpoch, 1},
		{2, taken, 1},
		{3, api.NotMaster, 0}, // it is deposed and does not know it, nor which replica is master
		{1 << 60, api.NotMaster, 0},
	} {
		for _, op := range []api.Op{api.Put{Key: "k"}, api.Get{Key: "k"}, api.EndSession{}} {
			before := len(r.taken)
			r.m.Request(r.at(), 9, "ann", api.Request{ID: 4, Session: s, Seq: 1, Epoch: c.epoch, Op: op})
			r.take()
			if c.code == taken {
				require.Empty(t, r.replies)
				continue
			}
			require.Len(t, r.taken, before, "epoch %d", c.epoch)
			p := r.reply()
			require.Equal(t, c.code, p.Code, "epoch %d", c.epoch)
			require.EqualValues(t, 2, p.Epoch, "the present one is told")
			require.Equal(t, c.master, p.Master)
		}
	}
	r.request(9, api.Request{ID: 5, Op: api.OpenSession{Nonce: api.Nonce{7}}})
	require.Empty(t, r.replies, "a client that opens a session has heard of no epoch")
}

func TestWhoIsNobodyOpensNoSession(t *testing.T) {
	r := newRig(t)
	r.serve(5)
	for _, who := range []api.Principal{"", api.Everyone, "a b"} {
		r.m.Request(r.at(), 9, who, api.Request{ID: 1, Op: api.OpenSession{Nonce: api.Nonce{7}}})
		r.take()
		require.Equal(t, api.Invalid, r.reply().Code)
	}
	require.Len(t, r.taken, 1, "the epoch")
}

// Session numbers can be guessed. Bob sends a call with the number that Ann's session is about to get.
// A call in the log names no principal, so behind the opening his call would be executed as hers.
func TestASessionThatIsYetToBeOpenedIsNobodys(t *testing.T) {
	r := newRig(t)
	r.serve(5)
	r.m.Request(r.at(), 9, "ann", api.Request{ID: 1, Op: api.OpenSession{Nonce: api.Nonce{7}}})
	r.take()
	open := r.taken[len(r.taken)-1].Command
	next := api.SessionID(rows.GetTotals(r.db.View()).Commands + 1)
	for id, op := range []api.Op{api.Put{Key: "k", Value: "v"}, api.Get{Key: "k"}, api.EndSession{}, api.Open{Path: "f", Rights: api.RightRead}} {
		before := len(r.taken)
		r.m.Request(r.at(), 8, "bob", api.Request{ID: uint64(id + 2), Session: next, Seq: 1, Epoch: 1, Op: op})
		r.take()
		require.Len(t, r.taken, before)
		require.Equal(t, api.NoSession, r.reply().Code)
	}
	require.Equal(t, next, r.raw(open).Result.Session, "he guessed right")
}

// Reads are answered from the rows up to the very end of authority, and not at it.
func TestReadsAreAnsweredWhileThereIsAuthority(t *testing.T) {
	r := newRig(t)
	r.serve(5)
	s := r.session(1)
	r.apply(command.Call{Guard: 1, Session: s, Seq: 1, Op: api.Put{Key: "k", Value: "v"}})
	r.lease = r.now.Add(time.Second)
	get := api.Request{ID: 3, Session: s, Seq: 2, Op: api.Get{Key: "k"}}
	before := len(r.taken)

	r.now = r.lease.Add(-1)
	r.m.Request(r.at(), 9, "ann", withEpoch(get, 1))
	out := r.m.TakeOutput(time.Time{}, plenty)
	want := api.Result{Code: api.OK, Found: true, Value: "v"}
	require.Equal(t, []master.Read{{Session: s, Seq: 2, Result: want, Now: r.now}}, out.Reads)
	require.Len(t, out.Replies, 1)
	require.Equal(t, want, out.Replies[0].Result)
	require.EqualValues(t, 1, r.m.Status().Counters.Read)
	r.request(9, put(4, s, 2))
	require.Len(t, r.taken, before+1, "a write needs the log")

	r.now = r.lease
	r.request(9, get)
	require.Empty(t, r.replies)
	r.elect(8)
	r.replies = nil
	r.lease = r.now.Add(time.Second)
	r.request(9, get)
	require.Equal(t, api.NotMaster, r.reply().Code, "authority alone is not enough")
}

func withEpoch(q api.Request, e api.Epoch) api.Request { q.Epoch = e; return q }

func TestASessionIsItsOpeners(t *testing.T) {
	r := newRig(t)
	r.serve(5)
	r.request(9, api.Request{ID: 1, Op: api.OpenSession{Nonce: api.Nonce{7}}})
	s, ok := rows.GetSession(r.db, r.last().Result.Session)
	require.True(t, ok)
	require.Equal(t, api.Principal("ann"), s.Principal)
}
