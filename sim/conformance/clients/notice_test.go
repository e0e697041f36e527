package clients

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/client/session"
	"github.com/chubbycell/chubby/replica/api"
)

// A client has sent Acquires by two handles in epoch 1, is told of epoch 2, and says
// that it knows of it.
func TestS9WhatIsUnderWayIsPresented(t *testing.T) {
	token := tokens(t, api.File)
	acquire := func(n uint64) api.Request {
		return api.Request{Session: 7, Seq: api.Seq(n), Op: api.Acquire{Handle: token(n), Mode: api.Exclusive}}
	}
	answer := func(seq api.Seq, c api.Code) api.Reply {
		return api.Reply{Session: 7, Seq: seq, Epoch: 1, Result: api.Result{Code: c}}
	}
	for name, c := range map[string]struct {
		before  func(h *hangs)
		present []api.Token
		owes    bool
	}{
		"both":                  {nil, []api.Token{token(1), token(2)}, false},
		"one of them":           {nil, []api.Token{token(1)}, true},
		"none":                  {nil, nil, true},
		"the other is answered": {func(h *hangs) { h.hears(answer(2, api.LockHeld)) }, []api.Token{token(1)}, false},
		"the other is refused for a while": {func(h *hangs) {
			h.hears(answer(2, api.Busy))
		}, []api.Token{token(1)}, true},
		"the other is cancelled": {func(h *hangs) {
			h.sends(api.Request{Session: 7, Seq: 3, Op: api.CancelAcquire{Handle: token(2), Call: 2}})
			h.hears(answer(3, api.OK))
		}, []api.Token{token(1)}, false},
		"the other is not waited for": {func(h *hangs) {
			h.sends(api.Request{Session: 7, Seq: 4, Seen: 2, Op: api.GetStat{Handle: token(1)}})
		}, nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			h, o := newHangs(), owed{}
			h.sends(acquire(1))
			h.sends(acquire(2))
			if c.before != nil {
				c.before(&h)
			}
			o.told(2, &h)
			require.Equal(t, fault{}, o.says(50, 1, api.KeepAlive{Flushed: 1}), "it knows of nothing yet")
			require.Equal(t, fault{}, o.says(51, 2, api.KeepAlive{Flushed: 1, Tokens: c.present}))
			o.hears(51, 2)
			f := o.says(52, 2, api.KeepAlive{Flushed: 2})
			require.Equal(t, c.owes, f.id == "S9", "%+v", f)
			if name == "none" {
				require.Contains(t, f.text, handleOf(1).String(), "the lowest of both, at each run")
			}
		})
	}
}

// A client is told of epoch 2, and presents its handles by KeepAlive 2, and then by
// KeepAlive 3, before it says that it knows of the epoch.
func TestS9WhatIsPresentedArrives(t *testing.T) {
	for name, c := range map[string]struct {
		id    uint64
		epoch api.Epoch
		lost  bool
	}{
		"the first is answered":  {2, 2, false},
		"the second is answered": {3, 2, false},
		"neither is":             {0, 2, true},
		"one of before is":       {1, 2, true},
		"a former master does":   {2, 1, true},
	} {
		t.Run(name, func(t *testing.T) {
			h, o := newHangs(), owed{}
			o.told(2, &h)
			require.Equal(t, fault{}, o.says(1, 2, api.KeepAlive{Flushed: 1}))
			require.Equal(t, fault{}, o.says(2, 2, api.KeepAlive{Flushed: 1, Tokens: []api.Token{"a", "b"}}))
			require.Equal(t, fault{}, o.says(3, 2, api.KeepAlive{Flushed: 1, Tokens: []api.Token{"a", "b"}}))
			o.hears(c.id, c.epoch)
			f := o.says(4, 2, api.KeepAlive{Flushed: 2})
			require.Equal(t, c.lost, f.id == "S9", "%+v", f)
		})
	}
}

// An answer of a former master ends no call.
func TestS9WhoseAnswersAreTaken(t *testing.T) {
	a := account{session: 7, epoch: 2}
	reply := func(s api.SessionID, seq api.Seq, e api.Epoch, c api.Code) api.Reply {
		return api.Reply{Session: s, Seq: seq, Epoch: e, Result: api.Result{Code: c}}
	}
	require.True(t, a.former(reply(7, 3, 1, api.OK)))
	require.True(t, a.former(reply(7, 3, 1, api.NotHeld)))
	require.False(t, a.former(reply(7, 3, 2, api.OK)), "the present one")
	require.False(t, a.former(reply(7, 0, 1, api.OK)), "a KeepAlive")
	require.False(t, a.former(reply(8, 3, 1, api.OK)), "another session")
	require.False(t, a.former(reply(7, 3, 1, api.Busy)), "it decides nothing")

	open := session.Status{State: session.Open, Session: 7, Flight: 2, Queued: 1}
	next := func(f func(*session.Status)) session.Status {
		s := open
		f(&s)
		return s
	}
	require.False(t, ends(open, open))
	require.True(t, ends(open, next(func(s *session.Status) { s.Flight-- })))
	require.True(t, ends(open, next(func(s *session.Status) { s.Queued-- })), "one ended, and another was sent in its place")
	require.False(t, ends(open, next(func(s *session.Status) { s.Flight, s.Queued = 3, 0 })), "one was sent")
	require.False(t, ends(open, next(func(s *session.Status) { s.State, s.Flight = session.Over, 0 })), "all of them, with the session")
}
