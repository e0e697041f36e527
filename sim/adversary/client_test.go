package adversary

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/model"
	"github.com/chubbycell/chubby/sim/plan"
	"github.com/chubbycell/chubby/sim/workload"
	"github.com/chubbycell/chubby/sim/worldtest"
)

// silent is a replica that never answers.
type silent struct{}

func (silent) Start(*sim.Env)                      {}
func (silent) Receive(time.Time, sim.Addr, []byte) {}
func (silent) Wake(time.Time)                      {}

// unknown is a cell about which the hostile client knows nothing.
type unknown struct{}

func (unknown) Given(api.Token) *model.Grip          { return nil }
func (unknown) OpenedBy(api.SessionID) api.Principal { return "" }
func (unknown) LastNumber() api.Number               { return 0 }

// someHostile returns a hostile client that has begun, and a world with a replica that never
// answers.
func someHostile(t *testing.T) (worldtest.World, *hostile) {
	w := worldtest.New(t)
	p := &plan.Plan{Replicas: 1}
	p.Hostile.Gap = time.Hour
	w.Add(sim.MachineConfig{Process: func() sim.Process { return silent{} }}).Start()
	a := New(p, workload.New(workload.Env{Plan: p, World: w.World}), unknown{})
	a.Join(w.World, sim.ClockConfig{})
	m := w.Clients()[0]
	m.Start()
	require.Equal(t, sim.Reached, w.RunFor(time.Second))
	return w, m.Process().(*hostile)
}

// An answer that a trick does not allow breaks S14.
func TestS14AnAnswerThatAHostileClientMustNotGet(t *testing.T) {
	for name, c := range map[string]struct {
		r      api.Result
		breaks bool
	}{
		"refused":                   {api.Result{Code: api.BadHandle}, false},
		"refused for other reasons": {api.Result{Code: api.Busy}, false},
		"done":                      {api.Result{Code: api.OK}, true},
		"refused, and told":         {api.Result{Code: api.BadHandle, Found: true, Value: "secret"}, true},
		"taken for another refusal": {api.Result{Code: api.Gone}, true},
	} {
		w, h := someHostile(t)
		h.sent[5] = trick{"a forged token", api.Request{Op: api.GetStat{Handle: "x"}}, only(api.BadHandle)}
		h.Receive(time.Time{}, 1, api.AppendReply(nil, api.Reply{ID: 5, Result: c.r}))
		require.Equal(t, c.breaks, w.Failure() != nil, name)
	}
}

// A replayed opening leads the hostile client back to a session that it has left. It continues
// numbering where it was; otherwise its calls would get the answers of earlier calls.
func TestAHostileClientGoesOnNumberingWhereItWas(t *testing.T) {
	_, h := someHostile(t)
	told := func(s api.SessionID) {
		h.learn(trick{name: "session"}, api.Reply{Result: api.Result{Code: api.OK, Session: s}})
	}
	told(7)
	h.seq, h.seen = 5, 2
	told(8)
	require.Zero(t, h.count)
	h.seq = 3
	told(7)
	require.Equal(t, count{5, 2}, h.count)
	told(8)
	require.Equal(t, count{3, 0}, h.count)

	// A late answer to a guess at number 8, from before that session began, ends the session for the client alone.
	h.seq = 9
	h.learn(trick{}, api.Reply{Session: 8, Result: api.Result{Code: api.NoSession}})
	require.Zero(t, h.session)
	told(8)
	require.Equal(t, count{9, 0}, h.count)
}

// An Open of an earlier epoch whose number the cell still knows is sent again for more rights, and
// the handle is used at once.
func TestAHostileClientWidensWhatItHasOpened(t *testing.T) {
	_, h := someHostile(t)
	h.session, h.epoch, h.master, h.count = 7, 2, 1, count{5, 2}
	open := api.Open{Path: "guest", Rights: api.RightRead}
	for name, c := range map[string]struct {
		seq    api.Seq
		epoch  api.Epoch
		widens bool
	}{
		"of before":     {3, 1, true},
		"of this epoch": {3, 2, false},
		"forgotten":     {2, 1, false},
	} {
		h.opened, h.sent = []answered{{c.seq, c.epoch, open}}, map[uint64]trick{}
		require.Equal(t, c.widens, widen(h), name)
		if c.widens {
			require.Equal(t, api.RightRead|api.RightWrite|api.RightChangeACL, h.sent[h.id].q.Op.(api.Open).Rights)
			require.Equal(t, c.seq, h.sent[h.id].q.Seq)
		}
	}
	h.learn(trick{name: widening}, api.Reply{Result: api.Result{Code: api.OK, Detail: api.Opened{Token: "x", Node: api.Ref{Instance: 1}}}})
	require.Equal(t, api.Token("x"), h.widened)
	turn(h)
	require.Equal(t, api.SetContents{Handle: "x", Contents: "more"}, h.sent[h.id].q.Op)
	require.Empty(t, h.widened)
}

// The hostile client sends its own calls of an earlier epoch again, by their numbers, to the
// present master, but not calls with forbidden numbers.
func TestAHostileClientAsksAgain(t *testing.T) {
	_, h := someHostile(t)
	h.session, h.epoch, h.master, h.count = 7, 2, 1, count{5, 2}
	for name, c := range map[string]struct {
		trick string
		q     api.Request
		again bool
	}{
		"of before":          {"acquire", api.Request{Session: 7, Seq: 4, Epoch: 1, Op: api.Acquire{Handle: "x"}}, true},
		"of this epoch":      {"acquire", api.Request{Session: 7, Seq: 4, Epoch: 2, Op: api.Acquire{Handle: "x"}}, false},
		"not waited for":     {"acquire", api.Request{Session: 7, Seq: 2, Epoch: 1, Op: api.Acquire{Handle: "x"}}, false},
		"of another session": {"another's session", api.Request{Session: 8, Seq: 4, Epoch: 1, Op: api.Acquire{Handle: "x"}}, false},
		"of two alike":       {doubling, api.Request{Session: 7, Seq: 4, Epoch: 1, Op: api.Acquire{Handle: "x"}}, false},
		"with a wrong date":  {"a wrong epoch", api.Request{Session: 7, Seq: 4, Epoch: 1, Op: api.Acquire{Handle: "x"}}, false},
	} {
		h.id++
		h.sent = map[uint64]trick{h.id: {c.trick, c.q, anything}}
		require.Equal(t, c.again, askAgain(h), name)
		if c.again {
			q := h.sent[h.id].q
			require.Equal(t, c.q.Seq, q.Seq)
			require.Equal(t, h.epoch, q.Epoch)
			require.Equal(t, c.q.Op, q.Op)
		}
	}
}

// The hostile client makes a call on a row and a call on a node by one number, in either order.
func TestAHostileClientNumbersTwoCallsAlike(t *testing.T) {
	_, h := someHostile(t)
	h.session, h.epoch, h.master, h.own = 7, 2, 1, nil
	require.False(t, doubleCall(h))
	h.own = []api.Token{"x"}
	orders := map[bool]int{}
	for range 20 {
		require.True(t, doubleCall(h))
		first, second := h.sent[h.id-1].q, h.sent[h.id].q
		require.Equal(t, first.Session, second.Session)
		require.Equal(t, first.Seq, second.Seq)
		_, row := first.Op.(api.Put)
		_, other := second.Op.(api.Put)
		require.NotEqual(t, row, other)
		orders[row]++
	}
	require.Len(t, orders, 2)
}

// The hostile client ties a handle to the sequencer of a lock that it holds. In the next epoch it
// first uses the token from before the tie.
func TestAHostileClientTiesAndNamesTheTokenOfBefore(t *testing.T) {
	_, h := someHostile(t)
	h.session, h.epoch, h.master, h.own, h.bound = 7, 2, 1, []api.Token{"x", "y"}, nil
	h.held = map[api.Token]api.Held{}
	require.False(t, tieHandle(h))
	h.held["y"] = api.Held{Gen: 9}
	require.True(t, tieHandle(h))
	op := h.sent[h.id].q.Op.(api.SetSequencer)
	require.Contains(t, h.own, op.Handle)
	h.learn(h.sent[h.id], api.Reply{Epoch: 2, Result: api.Result{Code: api.OK, Detail: api.Opened{Token: "z"}}})
	require.Contains(t, h.own, api.Token("z"))
	require.False(t, useTied(h), "it is the master that tied it")
	h.epoch = 3
	require.True(t, useTied(h))
	require.Equal(t, op.Handle, api.HandleOf(h.sent[h.id-1].q.Op))
	require.Equal(t, api.Token("z"), api.HandleOf(h.sent[h.id].q.Op))
	require.False(t, useTied(h), "once")
}

// Only a replica that does not know that an epoch is over may answer a request of that epoch.
func TestAWrongEpochIsAnsweredThereOrNowhere(t *testing.T) {
	_, h := someHostile(t)
	h.session, h.epoch, h.master = 7, 5, 1
	for range 20 {
		misdate(h)
		sent := h.sent[h.id]
		require.NotEqual(t, h.epoch, sent.q.Epoch)
		require.False(t, sent.ok(api.Reply{Epoch: h.epoch, Result: api.Result{Code: api.BadHandle}}))
		require.True(t, sent.ok(api.Reply{Epoch: sent.q.Epoch, Result: api.Result{Code: api.BadHandle}}))
	}
}
