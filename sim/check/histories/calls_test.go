package histories

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/linearizability"
	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/check/locks"
)

// wired is the recorder of a cell at the wire.
type wired struct {
	*Calls
	world *sim.World
}

func newWired(t *testing.T) wired {
	w := sim.New(sim.Config{})
	t.Cleanup(w.Close)
	l := locks.New(w, paxos.PPM(1000))
	return wired{NewCalls(NewFiles(w, func(api.SessionID) bool { return false }), NewLocks(l, w)), w}
}

// open is call 5 of session 7.
var open = api.Request{ID: 1, Session: 7, Seq: 5, Op: api.Open{Path: "d/f", Rights: api.RightRead, Create: api.CreateMay, Kind: api.File, Contents: "a"}}

func (x wired) answer(c api.Code, d api.Detail) {
	x.OnAnswer(api.Reply{Session: open.Session, Seq: open.Seq, Result: api.Result{Code: c, Detail: d}})
}

func (x wired) ops() []linearizability.Operation[linearizability.FileInput, linearizability.FileOutput] {
	return x.files.History.History().Operations()
}

func TestACallIsRecordedFromItsFirstCopyToItsFirstAnswer(t *testing.T) {
	x := newWired(t)
	x.answer(api.OK, api.Opened{}) // to no call
	require.False(t, x.Knows(7))
	x.OnSend(open)
	x.OnSend(open)
	require.True(t, x.Knows(7))
	x.answer(api.NotMaster, nil)  // is no answer
	x.answer(api.Permission, nil) // is none of the model
	x.answer(api.NotFound, nil)
	x.answer(api.OK, api.Opened{})
	all := x.ops()
	require.Len(t, all, 1)
	require.Equal(t, linearizability.OutcomeOK, all[0].Outcome)
	require.Equal(t, linearizability.FileNotFound, all[0].Output.Code)
	require.Equal(t, int64(7), all[0].Client)
	require.Equal(t, linearizability.FileInput{
		Op: linearizability.FileOpen, Path: "/d/f", Create: linearizability.FileCreateMay, Kind: linearizability.FilePlain, Contents: "a",
	}, all[0].Input)
}

func TestARefusalLeavesACallOpen(t *testing.T) {
	x := newWired(t)
	x.OnSend(open)
	x.answer(api.Permission, nil)
	require.Equal(t, linearizability.OutcomeUnknown, x.ops()[0].Outcome)
}

// KeepAlives, requests for a session, and calls by what is no token are no calls on nodes.
func TestOtherRequestsAreNotRecorded(t *testing.T) {
	x := newWired(t)
	for _, q := range []api.Request{
		{Op: api.OpenSession{}}, {Session: 7, Op: api.KeepAlive{}}, {Session: 7, Seq: 1, Op: api.GetStat{Handle: "none"}},
		{Session: 7, Seq: 2, Op: api.Acquire{Handle: "none"}}, {Session: 7, Seq: 3, Op: api.Get{Key: "k"}},
	} {
		x.OnSend(q)
	}
	require.Empty(t, x.ops())
	require.Empty(t, x.locks.calls)
}

func TestAnAnswerWithoutAPlaceInTheLogIsFound(t *testing.T) {
	x := newWired(t)
	x.OnSend(open)
	x.answer(api.OK, api.Opened{Created: true, Stat: api.Stat{Instance: 3}})
	x.files.Judge(&Verdict{})
	require.Equal(t, "S3", x.world.Failure().ID)
	require.Contains(t, x.world.Failure().Text, "client 7 was answered a call on /d/f, which took effect nowhere")
}

// The search is left out if the witness check alone is to decide.
func TestTheWitnessCheckAloneMayDecide(t *testing.T) {
	for _, only := range []bool{false, true} {
		x := newWired(t)
		x.OnSend(open)
		x.answer(api.NotFound, nil)
		v := Verdict{WitnessOnly: only}
		x.files.Judge(&v)
		require.Nil(t, x.world.Failure())
		require.Equal(t, only, v.Partition == 0)
	}
}
