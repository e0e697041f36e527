package clients

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/replica/api"
)

func TestS11NothingSucceedsAfterASessionIsLost(t *testing.T) {
	lost := &client.Error{Causes: []error{client.ErrSessionExpired}}
	f := newFacts(t)
	s, mine, other := NewSuffix(f.w), new(client.Client), new(client.Client)
	s.Ended(mine, false, nil, nil)
	require.False(t, s.Lost(mine))
	s.Ended(mine, false, lost, nil)
	require.True(t, s.Lost(mine))
	s.Ended(mine, false, nil, nil) // it was under way
	s.Ended(mine, true, lost, nil)
	s.Ended(other, s.Lost(other), nil, nil)
	f.good()
	s.Ended(mine, s.Lost(mine), nil, nil)
	f.breaks("S11")
}

// A session that nobody uses is ended by its cell. Where nothing hangs on it its client
// goes on under another one.
func TestS11WhereNothingIsLostTheClientGoesOn(t *testing.T) {
	lost := &client.Error{Causes: []error{client.ErrSessionExpired}}
	unknown := &client.Error{Causes: []error{client.ErrOutcomeUnknown}}
	opened := api.Result{Code: api.OK, Detail: api.Opened{Token: "h"}}
	for name, c := range map[string]struct {
		does   func(h *hangs)
		told   error // of a call of before
		breaks bool
	}{
		"nothing was done":    {func(*hangs) {}, nil, true},
		"a call was answered": {func(h *hangs) { h.did(1, api.Put{}, api.Result{Code: api.OK}) }, nil, true},
		"one at the very instant of the end": {func(h *hangs) {
			h.did(1, api.Put{}, api.Result{Code: api.OK})
			h.at = 0
		}, nil, false},
		"one was not":          {func(h *hangs) { h.sends(api.Request{Seq: 1, Op: api.Put{}}) }, nil, false},
		"one had gone unheard": {func(h *hangs) { h.did(1, api.Put{}, api.Result{Code: api.OK}) }, unknown, false},
		"a handle is open":     {func(h *hangs) { h.did(1, api.Open{}, opened) }, nil, false},
		"it was closed": {func(h *hangs) {
			h.did(1, api.Open{}, opened)
			h.did(2, api.CloseHandle{}, api.Result{Code: api.OK})
		}, nil, true},
		"that was refused": {func(h *hangs) {
			h.did(1, api.Open{}, opened)
			h.did(2, api.CloseHandle{}, api.Result{Code: api.BadHandle})
		}, nil, false},
		"an Open that has got no token": {func(h *hangs) { h.did(1, api.Open{}, api.Result{Code: api.OK, Detail: api.Opened{}}) }, nil, false},
		"nor has a SetSequencer":        {func(h *hangs) { h.did(1, api.SetSequencer{}, api.Result{Code: api.OK}) }, nil, false},
		"an Acquire names no lock":      {func(h *hangs) { h.did(1, api.Acquire{}, api.Result{Code: api.OK}) }, nil, false},
	} {
		f := newFacts(t)
		s, mine := NewSuffix(f.w), new(client.Client)
		l := &Life{account: account{life: 2, hangs: newHangs()}}
		c.does(&l.account.hangs)
		s.Ended(mine, false, c.told, l)
		s.Ended(mine, false, lost, nil)
		f.good()
		s.Ended(mine, false, lost, l)
		require.Equal(t, c.breaks, f.w.Failure() != nil, name)
		if c.breaks {
			continue
		}
		l.account.life, l.account.hangs = 3, newHangs()
		s.Ended(mine, false, lost, l)
		require.Equal(t, "S11", f.w.Failure().ID, "%s, and then there was another one", name)
	}
}

// did is a call that was sent and answered.
func (h *hangs) did(seq api.Seq, op api.Op, r api.Result) {
	h.sends(api.Request{Session: 7, Seq: seq, Op: op})
	h.hears(api.Reply{Session: 7, Seq: seq, Result: r})
}
