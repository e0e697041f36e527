package cell

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/plan"
)

// withHostile makes a cell without faults, whose hostile client tries tricks in quick succession.
func withHostile(p *plan.Plan) {
	p.Workload, p.Hostile.Gap = "rights", 5*time.Millisecond
	roomy(p)
}

// The hostile client tries each trick, the cell refuses it, and each situation that the checks
// count occurs.
func TestAHostileClientTriesAllItsTricks(t *testing.T) {
	c := someCell(t, 11, withHostile)
	names := []string{
		"session", "open", "close", "use", "a forged token", "another's token", "another's session", "a session to come",
		"a wrong number", "too large contents", "too large a value", "too long a key", "too long a token", "a bad path",
		"to cancel no call", "to cancel what was given up", "a sequencer of the other mode", "a bad path below a directory",
		"to open the same again", "too large a comparison", "a page", "a long sequencer", "a long token",
		"a bad sequencer", "a wrong acquisition", "a handle that is shut", "to write without the right", "a replay, sent", "malformed bytes, sent",
		"two calls by one number", "tie",
	}
	tried := func() bool {
		return !slices.ContainsFunc(names, func(name string) bool { return c.adversary.Tricks[name] == 0 })
	}
	for at := 10 * time.Second; at <= time.Minute && (*whole || !tried()); at += 5 * time.Second {
		require.Equal(t, sim.Reached, c.world.Run(at))
		require.Nil(t, c.world.Failure())
	}
	for _, name := range names {
		require.Positive(t, c.adversary.Tricks[name], name)
	}
	require.Positive(t, c.handles.Requests.Forged)
	require.Positive(t, c.handles.Requests.Foreign)
	require.Positive(t, c.handles.Requests.Shut)
	for _, code := range []api.Code{api.BadHandle, api.Permission, api.OldEpoch, api.HandleClosed} {
		if code == api.OldEpoch {
			continue // there was no fail-over
		}
		require.Positive(t, c.handles.Answers.Refusals[code], "%v: %v", code, c.handles.Answers.Refusals)
	}
}

// A client that overhears the request that opens a session cannot take the session: the owner gets
// its own session, whichever request came first.
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

// listener sends one request and hears the answers.
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
