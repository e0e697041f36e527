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

// unknown is a cell of which nothing is known.
type unknown struct{}

func (unknown) Given(api.Token) *model.Grip          { return nil }
func (unknown) OpenedBy(api.SessionID) api.Principal { return "" }
func (unknown) LastNumber() api.Number               { return 0 }

// someHostile is a hostile client that has begun, beside a replica that never answers.
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

// A trick that is answered in any other way than it must be breaks S14.
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

// A replayed opening leads it back to a session that it has left: there it goes on
// numbering where it was, or its calls would be answered with what others were told.
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
}

// What was opened in an earlier epoch, by a number that the cell still knows, is opened
// again for more, and the handle is used at once.
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
		require.Equal(t, c.widens, widens(h), name)
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

// Its own calls of an earlier epoch it sends again, by their numbers, to the present
// master; those that it has numbered in a way that is not allowed, it does not.
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
		require.Equal(t, c.again, asksAgain(h), name)
		if c.again {
			q := h.sent[h.id].q
			require.Equal(t, c.q.Seq, q.Seq)
			require.Equal(t, h.epoch, q.Epoch)
			require.Equal(t, c.q.Op, q.Op)
		}
	}
}

// It asks for something of a row and of a node by one number, in either order.
func TestAHostileClientNumbersTwoCallsAlike(t *testing.T) {
	_, h := someHostile(t)
	h.session, h.epoch, h.master, h.own = 7, 2, 1, nil
	require.False(t, doubles(h))
	h.own = []api.Token{"x"}
	orders := map[bool]int{}
	for range 20 {
		require.True(t, doubles(h))
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

// It ties a handle to the sequencer of a lock that it holds, and names it to the next
// master by the token of before first.
func TestAHostileClientTiesAndNamesTheTokenOfBefore(t *testing.T) {
	_, h := someHostile(t)
	h.session, h.epoch, h.master, h.own, h.bound = 7, 2, 1, []api.Token{"x", "y"}, nil
	h.held = map[api.Token]api.Held{}
	require.False(t, ties(h))
	h.held["y"] = api.Held{Gen: 9}
	require.True(t, ties(h))
	op := h.sent[h.id].q.Op.(api.SetSequencer)
	require.Contains(t, h.own, op.Handle)
	h.learn(h.sent[h.id], api.Reply{Epoch: 2, Result: api.Result{Code: api.OK, Detail: api.Opened{Token: "z"}}})
	require.Contains(t, h.own, api.Token("z"))
	require.False(t, unties(h), "it is the master that tied it")
	h.epoch = 3
	require.True(t, unties(h))
	require.Equal(t, op.Handle, api.HandleOf(h.sent[h.id-1].q.Op))
	require.Equal(t, api.Token("z"), api.HandleOf(h.sent[h.id].q.Op))
	require.False(t, unties(h), "once")
}

// A client that asks in an epoch that is over may be answered by a replica that does not know
// that it is, and by no other.
func TestAWrongEpochIsAnsweredThereOrNowhere(t *testing.T) {
	_, h := someHostile(t)
	h.session, h.epoch, h.master = 7, 5, 1
	for range 20 {
		misdates(h)
		sent := h.sent[h.id]
		require.NotEqual(t, h.epoch, sent.q.Epoch)
		require.False(t, sent.ok(api.Reply{Epoch: h.epoch, Result: api.Result{Code: api.BadHandle}}))
		require.True(t, sent.ok(api.Reply{Epoch: sent.q.Epoch, Result: api.Result{Code: api.BadHandle}}))
	}
}
