package cell

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/plan"
)

// withHostile is a cell without faults whose hostile client does little else.
func withHostile(p *plan.Plan) {
	p.Workload, p.Hostile.Gap = "rights", 5*time.Millisecond
	roomy(p)
}

// Each trick is tried and refused, and what the checks count comes about.
func TestAHostileClientTriesAllItsTricks(t *testing.T) {
	c := someCell(t, 11, withHostile)
	require.Equal(t, sim.Reached, c.world.Run(60*time.Second))
	require.Nil(t, c.world.Failure())
	for _, name := range []string{
		"session", "open", "close", "use", "a forged token", "another's token", "another's session", "a session to come",
		"a wrong number", "too large contents", "too large a value", "too long a key", "too long a token", "a bad path",
		"to cancel no call", "to cancel what was given up", "a sequencer of the other mode", "a bad path below a directory",
		"to open the same again", "too large a comparison", "a page", "a long sequencer", "a long token",
		"a bad sequencer", "a wrong acquisition", "a handle that is shut", "to write without the right", "a replay, sent", "malformed bytes, sent",
		"two calls by one number", "tie",
	} {
		require.Positive(t, c.tricks[name], name)
	}
	require.Positive(t, c.handles.Forged)
	require.Positive(t, c.handles.Foreign)
	require.Positive(t, c.handles.Shut)
	for _, code := range []api.Code{api.BadHandle, api.Permission, api.OldEpoch, api.HandleClosed} {
		if code == api.OldEpoch {
			continue // there was no fail-over
		}
		require.Positive(t, c.handles.Refusals[code], "%v: %v", code, c.handles.Refusals)
	}
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
		cell := someCell(t, 11, withHostile)
		h := cell.world.Clients()[cell.plan.Clients].Process().(*hostile)
		h.sent[5] = trick{"a forged token", api.Request{Op: api.GetStat{Handle: "x"}}, only(api.BadHandle)}
		h.Receive(time.Time{}, 1, api.AppendReply(nil, api.Reply{ID: 5, Result: c.r}))
		require.Equal(t, c.breaks, cell.world.Failure() != nil, name)
	}
}

// A client that overhears the opening of a session opens none of its own in its owner's
// place: the owner is told of its own, whichever was first.
func TestAnOverheardOpeningTakesNobodysSession(t *testing.T) {
	g := newGuests(t, 4)
	g.run(func() bool { return g.master() != nil })
	opening := api.AppendRequest(nil, api.Request{ID: 1, Op: api.OpenSession{Nonce: api.Nonce{1, 2}}})
	told := map[sim.Addr]api.SessionID{}
	for i := range 2 {
		m := g.cell.world.Add(sim.MachineConfig{Addr: sim.FirstClient + sim.Addr(i), Process: func() sim.Process {
			return &listener{heard: func(self sim.Addr, p api.Reply) { told[self] = p.Result.Session }, say: opening, to: g.master().Addr()}
		}})
		m.Start()
	}
	g.run(func() bool { return len(told) == 2 })
	require.NotEqual(t, told[sim.FirstClient], told[sim.FirstClient+1])
	require.NotZero(t, told[sim.FirstClient])
	require.Nil(t, g.cell.world.Failure())
}

// listener says one thing and hears what is answered.
type listener struct {
	env   *sim.Env
	heard func(sim.Addr, api.Reply)
	say   []byte
	to    sim.Addr
}

func (l *listener) Start(env *sim.Env) {
	l.env = env
	env.Send(l.to, l.say)
}

func (l *listener) Receive(_ time.Time, _ sim.Addr, msg []byte) {
	if p, err := api.DecodeReply(msg); err == nil && p.Code == api.OK {
		l.heard(l.env.Self(), p)
	}
}

func (l *listener) Wake(time.Time) {}

// A replayed opening leads it back to a session that it has left: there it goes on
// numbering where it was, or its calls would be answered with what others were told.
func TestAHostileClientGoesOnNumberingWhereItWas(t *testing.T) {
	cell := someCell(t, 11, withHostile)
	h := cell.world.Clients()[cell.plan.Clients].Process().(*hostile)
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
	cell := someCell(t, 11, withHostile)
	h := cell.world.Clients()[cell.plan.Clients].Process().(*hostile)
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
		require.Equal(t, c.widens, h.widens(), name)
		if c.widens {
			require.Equal(t, api.RightRead|api.RightWrite|api.RightChangeACL, h.sent[h.id].q.Op.(api.Open).Rights)
			require.Equal(t, c.seq, h.sent[h.id].q.Seq)
		}
	}
	h.learn(trick{name: widening}, api.Reply{Result: api.Result{Code: api.OK, Detail: api.Opened{Token: "x", Node: api.Ref{Instance: 1}}}})
	require.Equal(t, api.Token("x"), h.widened)
	h.turn()
	require.Equal(t, api.SetContents{Handle: "x", Contents: "more"}, h.sent[h.id].q.Op)
	require.Empty(t, h.widened)
}

// Its own calls of an earlier epoch it sends again, by their numbers, to the present
// master; those that it has numbered in a way that is not allowed, it does not.
func TestAHostileClientAsksAgain(t *testing.T) {
	cell := someCell(t, 11, withHostile)
	h := cell.world.Clients()[cell.plan.Clients].Process().(*hostile)
	h.session, h.epoch, h.master, h.count = 7, 2, 1, count{5, 2}
	for name, c := range map[string]struct {
		trick string
		q     api.Request
		again bool
	}{
		"of before":         {"acquire", api.Request{Session: 7, Seq: 4, Epoch: 1, Op: api.Acquire{Handle: "x"}}, true},
		"of this epoch":     {"acquire", api.Request{Session: 7, Seq: 4, Epoch: 2, Op: api.Acquire{Handle: "x"}}, false},
		"not waited for":    {"acquire", api.Request{Session: 7, Seq: 2, Epoch: 1, Op: api.Acquire{Handle: "x"}}, false},
		"of somebody else":  {"another's session", api.Request{Session: 8, Seq: 4, Epoch: 1, Op: api.Acquire{Handle: "x"}}, false},
		"of two alike":      {doubling, api.Request{Session: 7, Seq: 4, Epoch: 1, Op: api.Acquire{Handle: "x"}}, false},
		"with a wrong date": {"a wrong epoch", api.Request{Session: 7, Seq: 4, Epoch: 1, Op: api.Acquire{Handle: "x"}}, false},
	} {
		h.id++
		h.sent = map[uint64]trick{h.id: {c.trick, c.q, anything}}
		require.Equal(t, c.again, h.asksAgain(), name)
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
	cell := someCell(t, 11, withHostile)
	h := cell.world.Clients()[cell.plan.Clients].Process().(*hostile)
	h.session, h.epoch, h.master, h.own = 7, 2, 1, nil
	require.False(t, h.doubles())
	h.own = []api.Token{"x"}
	orders := map[bool]int{}
	for range 20 {
		require.True(t, h.doubles())
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
	cell := someCell(t, 11, withHostile)
	h := cell.world.Clients()[cell.plan.Clients].Process().(*hostile)
	h.session, h.epoch, h.master, h.own, h.bound = 7, 2, 1, []api.Token{"x", "y"}, nil
	h.held = map[api.Token]api.Held{}
	require.False(t, h.ties())
	h.held["y"] = api.Held{Gen: 9}
	require.True(t, h.ties())
	op := h.sent[h.id].q.Op.(api.SetSequencer)
	require.Contains(t, h.own, op.Handle)
	h.learn(h.sent[h.id], api.Reply{Epoch: 2, Result: api.Result{Code: api.OK, Detail: api.Opened{Token: "z"}}})
	require.Contains(t, h.own, api.Token("z"))
	require.False(t, h.unties(), "it is the master that tied it")
	h.epoch = 3
	require.True(t, h.unties())
	require.Equal(t, op.Handle, api.HandleOf(h.sent[h.id-1].q.Op))
	require.Equal(t, api.Token("z"), api.HandleOf(h.sent[h.id].q.Op))
	require.False(t, h.unties(), "once")
}

// Who asks in an epoch that is over may be answered by one that does not know that it
// is, and by no other.
func TestAWrongEpochIsAnsweredThereOrNowhere(t *testing.T) {
	cell := someCell(t, 11, withHostile)
	h := cell.world.Clients()[cell.plan.Clients].Process().(*hostile)
	h.session, h.epoch, h.master = 7, 5, 1
	for range 20 {
		h.misdates()
		sent := h.sent[h.id]
		require.NotEqual(t, h.epoch, sent.q.Epoch)
		require.False(t, sent.ok(api.Reply{Epoch: h.epoch, Result: api.Result{Code: api.BadHandle}}))
		require.True(t, sent.ok(api.Reply{Epoch: sent.q.Epoch, Result: api.Result{Code: api.BadHandle}}))
	}
}
