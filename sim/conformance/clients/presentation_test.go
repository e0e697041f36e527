package clients

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/client/session"
	"github.com/chubbycell/chubby/replica/api"
)

// A client has sent Acquires by two handles in epoch 1, learns of epoch 2, and acknowledges
// it.
func TestS9HandlesOfAcquiresUnderWayArePresented(t *testing.T) {
	token := tokens(t, api.File)
	acquire := func(n uint64) api.Request {
		return api.Request{Session: 7, Seq: api.Seq(n), Op: api.Acquire{Handle: token(n), Mode: api.Exclusive}}
	}
	answer := func(seq api.Seq, c api.Code) api.Reply {
		return api.Reply{Session: 7, Seq: seq, Epoch: 1, Result: api.Result{Code: c}}
	}
	for name, c := range map[string]struct {
		before    func(h *callModel)
		present   []api.Token
		isMissing bool
	}{
		"both":                  {nil, []api.Token{token(1), token(2)}, false},
		"one of them":           {nil, []api.Token{token(1)}, true},
		"none":                  {nil, nil, true},
		"the other is answered": {func(h *callModel) { h.onReply(answer(2, api.LockHeld)) }, []api.Token{token(1)}, false},
		"the other is refused for a while": {func(h *callModel) {
			h.onReply(answer(2, api.Busy))
		}, []api.Token{token(1)}, true},
		"the other is cancelled": {func(h *callModel) {
			h.onSend(api.Request{Session: 7, Seq: 3, Op: api.CancelAcquire{Handle: token(2), Call: 2}})
			h.onReply(answer(3, api.OK))
		}, []api.Token{token(1)}, false},
		"the other is not waited for": {func(h *callModel) {
			h.onSend(api.Request{Session: 7, Seq: 4, AckedThrough: 2, Op: api.GetStat{Handle: token(1)}})
		}, nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			h, o := newCallModel(), presentation{}
			h.onSend(acquire(1))
			h.onSend(acquire(2))
			if c.before != nil {
				c.before(&h)
			}
			o.onFailover(2, &h)
			require.Equal(t, breach{}, o.onKeepAlive(50, 1, api.KeepAlive{AckedEpoch: 1}), "it knows of no fail-over yet")
			require.Equal(t, breach{}, o.onKeepAlive(51, 2, api.KeepAlive{AckedEpoch: 1, Tokens: c.present}))
			o.onKeepAliveReplied(51, 2)
			f := o.onKeepAlive(52, 2, api.KeepAlive{AckedEpoch: 2})
			require.Equal(t, c.isMissing, f.id == "S9", "%+v", f)
			if name == "none" {
				require.Contains(t, f.text, handleOf(1).String(), "the lowest of both, at each run")
			}
		})
	}
}

// A client learns of epoch 2, and presents its handles by KeepAlive 2 and again by KeepAlive
// 3 before it acknowledges the epoch.
func TestS9APresentationIsAnswered(t *testing.T) {
	for name, c := range map[string]struct {
		id     uint64
		epoch  api.Epoch
		isLost bool
	}{
		"the first is answered":  {2, 2, false},
		"the second is answered": {3, 2, false},
		"neither is":             {0, 2, true},
		"one of before is":       {1, 2, true},
		"a former master does":   {2, 1, true},
	} {
		t.Run(name, func(t *testing.T) {
			h, o := newCallModel(), presentation{}
			o.onFailover(2, &h)
			require.Equal(t, breach{}, o.onKeepAlive(1, 2, api.KeepAlive{AckedEpoch: 1}))
			require.Equal(t, breach{}, o.onKeepAlive(2, 2, api.KeepAlive{AckedEpoch: 1, Tokens: []api.Token{"a", "b"}}))
			require.Equal(t, breach{}, o.onKeepAlive(3, 2, api.KeepAlive{AckedEpoch: 1, Tokens: []api.Token{"a", "b"}}))
			o.onKeepAliveReplied(c.id, c.epoch)
			f := o.onKeepAlive(4, 2, api.KeepAlive{AckedEpoch: 2})
			require.Equal(t, c.isLost, f.id == "S9", "%+v", f)
		})
	}
}

// A reply of a former master ends no call.
func TestS9RepliesOfAFormerMasterAreNotTaken(t *testing.T) {
	a := sessionModel{session: 7, epoch: 2}
	reply := func(s api.SessionID, seq api.Seq, e api.Epoch, c api.Code) api.Reply {
		return api.Reply{Session: s, Seq: seq, Epoch: e, Result: api.Result{Code: c}}
	}
	require.True(t, a.isFromFormerMaster(reply(7, 3, 1, api.OK)))
	require.True(t, a.isFromFormerMaster(reply(7, 3, 1, api.NotHeld)))
	require.False(t, a.isFromFormerMaster(reply(7, 3, 2, api.OK)), "the present one")
	require.False(t, a.isFromFormerMaster(reply(7, 0, 1, api.OK)), "a KeepAlive")
	require.False(t, a.isFromFormerMaster(reply(8, 3, 1, api.OK)), "another session")
	require.False(t, a.isFromFormerMaster(reply(7, 3, 1, api.Busy)), "it decides nothing")

	open := session.Status{State: session.Open, Session: 7, Flight: 2, Queued: 1}
	next := func(f func(*session.Status)) session.Status {
		s := open
		f(&s)
		return s
	}
	require.False(t, hasEndedCall(open, open))
	require.True(t, hasEndedCall(open, next(func(s *session.Status) { s.Flight-- })))
	require.True(t, hasEndedCall(open, next(func(s *session.Status) { s.Queued-- })), "one ended, and another was sent in its place")
	require.False(t, hasEndedCall(open, next(func(s *session.Status) { s.Flight, s.Queued = 3, 0 })), "one was sent")
	require.False(t, hasEndedCall(open, next(func(s *session.Status) { s.State, s.Flight = session.Over, 0 })), "all of them, with the session")
}
