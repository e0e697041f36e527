package clients

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/sim/worldtest"
)

func TestS11NothingSucceedsAfterASessionIsLost(t *testing.T) {
	lost := &client.Error{Causes: []error{client.ErrSessionExpired}}
	f := worldtest.New(t)
	s, mine, other := NewSuffix(f.World), new(client.Client), new(client.Client)
	s.OnCallEnd(mine, false, nil, nil)
	require.False(t, s.HasLost(mine))
	s.OnCallEnd(mine, false, lost, nil)
	require.True(t, s.HasLost(mine))
	s.OnCallEnd(mine, false, nil, nil) // it was under way
	s.OnCallEnd(mine, true, lost, nil)
	s.OnCallEnd(other, s.HasLost(other), nil, nil)
	f.Good()
	s.OnCallEnd(mine, s.HasLost(mine), nil, nil)
	f.Diverges("S11")
}

// The cell ends an idle session. If nothing is lost with it, the client goes on under another
// one.
func TestS11AClientReplacesASessionThatHeldNothing(t *testing.T) {
	lost := &client.Error{Causes: []error{client.ErrSessionExpired}}
	unknown := &client.Error{Causes: []error{client.ErrOutcomeUnknown}}
	opened := api.Result{Code: api.OK, Detail: api.Opened{Token: "h"}}
	for name, c := range map[string]struct {
		do     func(h *callModel)
		told   error // error of an earlier call
		breaks bool
	}{
		"nothing was done":    {func(*callModel) {}, nil, true},
		"a call was answered": {func(h *callModel) { h.did(1, api.Put{}, api.Result{Code: api.OK}) }, nil, true},
		"one at the very instant of the end": {func(h *callModel) {
			h.did(1, api.Put{}, api.Result{Code: api.OK})
			h.answeredAt = 0
		}, nil, false},
		"one before the end": {func(h *callModel) {
			h.did(1, api.Put{}, api.Result{Code: api.OK})
			h.answeredAt, h.overAt = -2, -1
		}, nil, true},
		"one at the instant of the end, of which the program hears later": {func(h *callModel) {
			h.did(1, api.Put{}, api.Result{Code: api.OK})
			h.answeredAt, h.overAt = -1, -1
		}, nil, false},
		"one was not":                {func(h *callModel) { h.onSend(api.Request{Seq: 1, Op: api.Put{}}) }, nil, false},
		"one has an unknown outcome": {func(h *callModel) { h.did(1, api.Put{}, api.Result{Code: api.OK}) }, unknown, false},
		"a handle is open":           {func(h *callModel) { h.did(1, api.Open{}, opened) }, nil, false},
		"it was closed": {func(h *callModel) {
			h.did(1, api.Open{}, opened)
			h.did(2, api.CloseHandle{}, api.Result{Code: api.OK})
		}, nil, true},
		"that was refused": {func(h *callModel) {
			h.did(1, api.Open{}, opened)
			h.did(2, api.CloseHandle{}, api.Result{Code: api.BadHandle})
		}, nil, false},
		"an Open that has got no token": {func(h *callModel) { h.did(1, api.Open{}, api.Result{Code: api.OK, Detail: api.Opened{}}) }, nil, false},
		"nor has a SetSequencer":        {func(h *callModel) { h.did(1, api.SetSequencer{}, api.Result{Code: api.OK}) }, nil, false},
		"an Acquire names no lock":      {func(h *callModel) { h.did(1, api.Acquire{}, api.Result{Code: api.OK}) }, nil, false},
	} {
		f := worldtest.New(t)
		s, mine := NewSuffix(f.World), new(client.Client)
		l := &Life{model: sessionModel{sessions: 2, calls: newCallModel()}}
		c.do(&l.model.calls)
		s.OnCallEnd(mine, false, c.told, l)
		s.OnCallEnd(mine, false, lost, nil)
		f.Good()
		s.OnCallEnd(mine, false, lost, l)
		require.Equal(t, c.breaks, f.Failure() != nil, name)
		if c.breaks {
			continue
		}
		l.model.sessions, l.model.calls = 3, newCallModel()
		s.OnCallEnd(mine, false, lost, l)
		require.Equal(t, "S11", f.Failure().ID, "%s, and then there was another one", name)
	}
}

// did sends a call and takes its reply.
func (h *callModel) did(seq api.Seq, op api.Op, r api.Result) {
	h.onSend(api.Request{Session: 7, Seq: seq, Op: op})
	h.onReply(api.Reply{Session: 7, Seq: seq, Result: r})
}
