package beliefs

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/client/session"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/core"
	"github.com/chubbycell/chubby/replica/master/handle"
	"github.com/chubbycell/chubby/replica/state/command"
	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/worldtest"
)

// mind is a client whose beliefs a test sets.
type mind struct {
	status client.Status
	at     time.Time
	down   bool
}

func (m *mind) Status() client.Status { return m.status }
func (m *mind) Now() time.Time        { return m.at }
func (m *mind) Dead() bool            { return m.down }
func (m *mind) Self() sim.Addr        { return sim.FirstClient }

// openNode is a handle as the program that opened it sees it.
type openNode struct {
	ref       api.Ref
	ephemeral bool
	session   api.SessionID
	id        api.HandleID
}

func (o *openNode) Ref() api.Ref            { return o.ref }
func (o *openNode) IsEphemeral() bool       { return o.ephemeral }
func (o *openNode) OpenedIn() api.SessionID { return o.session }
func (o *openNode) Number() api.HandleID    { return o.id }

func nodeAt(path string, instance api.Instance) api.Ref {
	p, err := api.ParsePath(path)
	if err != nil {
		panic(err)
	}
	return api.Ref{Path: p, Instance: instance}
}

var contested = nodeAt("/f", 9)

// Clients and replicas must assume the same bound of clock errors unless configured
// otherwise. If a client assumed 500 ppm and the replicas 1000, the client would count on a
// lease for too long.
func TestS11ClientsAndReplicasAgreeOnClocks(t *testing.T) {
	require.EqualValues(t, session.DefaultRho, core.DefaultConfig().Paxos.Lease.Rho)
}

// Session 7 is ended. Its client must not be certain at that moment that it is alive.
func TestS11NoSessionEndsThatItsClientCountsOn(t *testing.T) {
	now := time.Unix(100, 0)
	alive := session.Status{State: session.Open, Session: 7, Lease: session.Valid, Bound: now.Add(time.Millisecond)}
	for name, c := range map[string]struct {
		change func(m *mind)
		breaks bool
	}{
		"certain for a millisecond": {func(*mind) {}, true},
		"the bound is now":          {func(m *mind) { m.at = m.status.Bound }, false},
		"jeopardy":                  {func(m *mind) { m.status.Lease = session.Jeopardy }, false},
		"another session":           {func(m *mind) { m.status.Session = 8 }, false},
		"it is closing":             {func(m *mind) { m.status.State = session.Ending }, false},
		"its machine is down":       {func(m *mind) { m.down = true }, false},
	} {
		f := worldtest.New(t)
		w := New(f.World)
		m := &mind{status: client.Status{Status: alive}, at: now}
		c.change(m)
		w.OnClient(m)
		w.OnCommand(&command.Applied{Command: command.Expire{Session: 7}, Verdict: command.Refused, Result: api.Result{Code: api.Aborted}})
		f.Good()
		w.OnCommand(&command.Applied{Command: command.Expire{Session: 7}, Verdict: command.Executed, Result: api.Result{Code: api.OK}})
		if c.breaks {
			require.NotNil(t, f.Failure(), name)
			require.Equal(t, "S11", f.Failure().ID)
		} else {
			require.Nil(t, f.Failure(), name)
		}
		require.Equal(t, 1, w.Ended)
	}
}

// lease is a lock that is held or not.
type lease bool

func (l *lease) Held() bool               { return bool(*l) }
func (l *lease) Context() context.Context { return context.Background() }
func (l *lease) Err() error {
	if *l {
		return nil
	}
	return client.ErrJeopardy
}

// spoken is a lock that says what a test wants.
type spoken struct {
	held       bool
	err, cause error
}

func (l *spoken) Held() bool { return l.held }
func (l *spoken) Err() error { return l.err }
func (l *spoken) Context() context.Context {
	if l.cause == nil {
		return context.Background()
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(l.cause)
	return ctx
}

func TestS9WhatALockSaysAgrees(t *testing.T) {
	gone, closed, jeopardy := client.ErrGone, client.ErrClosed, client.ErrJeopardy
	for name, c := range map[string]struct {
		lock            spoken
		breaks, letting bool // breaks S9 as it is; breaks S9 after it was given back
	}{
		"held":                          {spoken{true, nil, nil}, false, true},
		"in jeopardy":                   {spoken{false, jeopardy, nil}, false, true},
		"lost":                          {spoken{false, gone, gone}, false, false},
		"lost, and its context goes on": {spoken{false, gone, nil}, true, true},
		"lost for another reason":       {spoken{false, gone, closed}, true, true},
		"held, and its context is over": {spoken{true, nil, gone}, true, true},
		"in jeopardy, and it is over":   {spoken{false, jeopardy, gone}, true, true},
		"held in spite of a reason":     {spoken{true, jeopardy, nil}, true, true},
		"neither held nor for a reason": {spoken{false, nil, nil}, true, true},
	} {
		f, back := worldtest.New(t), worldtest.New(t)
		New(f.World).checkConsistent(&mind{}, contested, &c.lock)
		require.Equal(t, c.breaks, f.Failure() != nil, name)
		New(back.World).OnLetGo(&mind{}, contested, &c.lock)
		require.Equal(t, c.letting, back.Failure() != nil, name)
	}
	over := &mind{status: client.Status{Status: session.Status{State: session.Over}}}
	for _, l := range []spoken{{true, nil, nil}, {false, jeopardy, nil}} {
		f := worldtest.New(t)
		New(f.World).checkConsistent(over, contested, &l)
		f.Breaks("S9")
	}
	f := worldtest.New(t)
	New(f.World).checkConsistent(over, contested, &spoken{false, gone, gone})
	f.Good()
}

// Two clients acquire the lock of one node, in these modes. Then the first one loses it, or
// does not.
func TestS9NoTwoClientsHoldConflictingLocks(t *testing.T) {
	node := func(instance api.Instance) *openNode {
		return &openNode{ref: nodeAt("/d0/hot", instance)}
	}
	for name, c := range map[string]struct {
		first, second client.Mode
		instance      api.Instance
		lost, down    bool
		breaks        bool
	}{
		"two writers":               {client.Exclusive, client.Exclusive, 7, false, false, true},
		"a writer and a reader":     {client.Exclusive, client.Shared, 7, false, false, true},
		"a reader and a writer":     {client.Shared, client.Exclusive, 7, false, false, true},
		"two readers":               {client.Shared, client.Shared, 7, false, false, false},
		"another node of that path": {client.Exclusive, client.Exclusive, 8, false, false, false},
		"the first knows better":    {client.Exclusive, client.Exclusive, 7, true, false, false},
		"the first is down":         {client.Exclusive, client.Exclusive, 7, false, true, false},
	} {
		f := worldtest.New(t)
		w := New(f.World)
		a, b, yes, also := &mind{}, &mind{}, lease(true), lease(true)
		w.OnHold(a, node(7), &yes, c.first)
		f.Good()
		a.down, yes = c.down, lease(!c.lost)
		w.OnHold(b, node(c.instance), &also, c.second)
		if c.breaks {
			require.NotNil(t, f.Failure(), name)
			require.Equal(t, "S9", f.Failure().ID)
		} else {
			require.Nil(t, f.Failure(), name)
		}
	}
}

// The node of a lock is deleted while a client counts on the lock, or before a client is told that it holds it.
func TestS9NoLockOutlivesItsNode(t *testing.T) {
	at := time.Unix(100, 0)
	counting := client.Status{Status: session.Status{State: session.Open, Lease: session.Valid, Bound: at.Add(time.Second)}}
	deletion := &command.Applied{
		Command: command.NodeCommand{Op: command.DeleteNode{Node: nodeAt("/d0/hot", 7)}}, Verdict: command.Executed, Result: api.Result{Code: api.OK},
	}
	refused := &command.Applied{Command: deletion.Command, Verdict: command.Executed, Result: api.Result{Code: api.NotEmpty}}
	for name, c := range map[string]struct {
		instance api.Instance
		change   func(m *mind, l *lease)
		deletion *command.Applied
		breaks   bool
	}{
		"held":                    {7, func(*mind, *lease) {}, deletion, true},
		"lost before":             {7, func(_ *mind, l *lease) { *l = false }, deletion, false},
		"its lease is over":       {7, func(m *mind, _ *lease) { m.at = m.status.Bound }, deletion, false},
		"no leases":               {7, func(m *mind, _ *lease) { m.status.Lease = session.NoLease }, deletion, false},
		"its machine is down":     {7, func(m *mind, _ *lease) { m.down = true }, deletion, false},
		"of the node before":      {6, func(*mind, *lease) {}, deletion, false},
		"the deletion is refused": {7, func(*mind, *lease) {}, refused, false},
	} {
		for _, before := range []bool{true, false} {
			f := worldtest.New(t)
			w := New(f.World)
			m, l, o := &mind{status: counting, at: at}, lease(true), &openNode{ref: nodeAt("/d0/hot", c.instance)}
			if before {
				w.OnHold(m, o, &l, client.Exclusive)
				f.Good()
			}
			c.change(m, &l)
			w.OnCommand(c.deletion)
			if !before && !m.down {
				f.Good()
				w.OnHold(m, o, &l, client.Exclusive)
			}
			if c.breaks {
				f.Breaks("S9")
				continue
			}
			if f.Failure() != nil { // another rule: a belief without a lease
				require.NotContains(t, f.Failure().Text, "deleted", name)
			}
		}
	}
}

// A belief that returns after jeopardy is noticed when another client's session is ended.
func TestS9ABeliefThatComesBack(t *testing.T) {
	f := worldtest.New(t)
	w := New(f.World)
	first, second := lease(false), lease(true)
	o := &openNode{ref: nodeAt("/d0/hot", 7)}
	w.OnHold(&mind{}, o, &first, client.Exclusive)
	w.OnHold(&mind{}, o, &second, client.Exclusive)
	f.Good()
	first = true
	w.OnCommand(&command.Applied{Command: command.Expire{Session: 7}, Verdict: command.Executed, Result: api.Result{Code: api.OK}})
	f.Breaks("S9")
}

func TestS15NoOpenEphemeralNodeIsSwept(t *testing.T) {
	now := time.Unix(100, 0)
	o := &openNode{ref: nodeAt("/d0/f1", 7), ephemeral: true}
	sweep := func(instance api.Instance) *command.Applied {
		ref := o.Ref()
		ref.Instance = instance
		return &command.Applied{Command: command.Sweep{Node: ref}, Verdict: command.Executed, Result: api.Result{Code: api.OK}}
	}
	alive := &mind{at: now, status: client.Status{Status: session.Status{
		State: session.Open, Session: 7, Lease: session.Valid, Bound: now.Add(time.Millisecond)}}}
	f := worldtest.New(t)
	w := New(f.World)
	w.OnOpen(alive, o)
	w.OnCommand(sweep(8))
	f.Good()
	alive.status.Lease = session.Jeopardy
	w.OnCommand(sweep(7))
	f.Good()
	alive.status.Lease = session.Valid
	w.OnClose(o)
	w.OnCommand(sweep(7))
	f.Good()
	w.OnOpen(alive, o)
	w.OnCommand(sweep(7))
	f.Breaks("S15")
}

// A client that no longer counts on its session must not believe in the locks that it holds,
// even if no other client does.
func TestS9ABeliefEndsWithTheBound(t *testing.T) {
	now := time.Unix(100, 0)
	for name, c := range map[string]struct {
		lease  session.Lease
		left   time.Duration
		held   bool
		breaks bool
	}{
		"a millisecond before":    {session.Valid, time.Millisecond, true, false},
		"at the bound":            {session.Valid, 0, true, true},
		"at the bound, not held":  {session.Valid, 0, false, false},
		"in jeopardy":             {session.Jeopardy, 0, true, true},
		"where there are none":    {session.NoLease, 0, true, false},
		"in jeopardy, and it ran": {session.Jeopardy, time.Minute, true, true},
	} {
		t.Run(name, func(t *testing.T) {
			f := worldtest.New(t)
			w := New(f.World)
			m := &mind{at: now, status: client.Status{Status: session.Status{State: session.Open, Session: 7, Lease: c.lease, Bound: now.Add(c.left)}}}
			l := lease(c.held)
			w.OnHold(m, &openNode{ref: nodeAt("/d0/hot", 7)}, &l, client.Exclusive)
			require.Equal(t, c.breaks, f.Failure() != nil)
		})
	}
}

// A program holds a node's lock by handle 1 of session 7, as its client says. Then the client
// sends or receives something.
func TestS9AReleasedLockIsNotHeld(t *testing.T) {
	seal, err := handle.NewSealer(handle.Secret{1})
	require.NoError(t, err)
	of := func(n uint64) api.Token {
		return seal.Seal(handle.Handle{ID: api.HandleID{Epoch: 1, Counter: n}, Session: 7, Node: contested, Kind: api.File, Rights: api.RightRead | api.RightWrite})
	}
	for name, c := range map[string]struct {
		op      api.Op
		session api.SessionID
		err     error // what the lock says
		breaks  bool
	}{
		"released, and held":                  {api.Release{Handle: of(1)}, 7, nil, true},
		"released":                            {api.Release{Handle: of(1)}, 7, client.ErrNotHeld, false},
		"released, and in doubt":              {api.Release{Handle: of(1)}, 7, client.ErrJeopardy, true},
		"closed, and held":                    {api.CloseHandle{Handle: of(1)}, 7, nil, true},
		"closed":                              {api.CloseHandle{Handle: of(1)}, 7, client.ErrClosed, false},
		"poisoned, and held":                  {api.Poison{Handle: of(1)}, 7, nil, true},
		"another handle":                      {api.CloseHandle{Handle: of(2)}, 7, nil, false},
		"something else":                      {api.GetStat{Handle: of(1)}, 7, nil, false},
		"the session is closed, and it holds": {api.EndSession{}, 7, nil, true},
		"the session is closed, and in doubt": {api.EndSession{}, 7, client.ErrJeopardy, true},
		"the session is closed":               {api.EndSession{}, 7, client.ErrClosed, false},
		"another session is closed":           {api.EndSession{}, 8, nil, false},
	} {
		f := worldtest.New(t)
		w := New(f.World)
		o := &openNode{ref: nodeAt("/d0/hot", 7), session: 7, id: api.HandleID{Epoch: 1, Counter: 1}}
		w.held = append(w.held, believed{who: &mind{}, node: o.Ref(), o: o, lock: &spoken{c.err == nil, c.err, nil}})
		w.OnSend(api.Request{Session: c.session, Op: c.op})
		require.Equal(t, c.breaks, f.Failure() != nil, name)
	}
	for _, l := range []spoken{{true, nil, nil}, {false, client.ErrJeopardy, nil}} {
		f := worldtest.New(t)
		New(f.World).OnLoss(&mind{}, contested, &l, client.ErrGone)
		f.Breaks("S9")
	}
	f := worldtest.New(t)
	New(f.World).OnLoss(&mind{}, contested, &spoken{false, client.ErrGone, client.ErrGone}, client.ErrGone)
	f.Good()
}
