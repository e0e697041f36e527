package sessions

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/master/handle"
	"github.com/chubbycell/chubby/replica/state/command"
	"github.com/chubbycell/chubby/sim/model"
)

// Tokens "a" and "b" are of session 7, "c" of session 8. The master of epoch 3 fails the
// handle of "a".
func TestS9PresentedHandlesAreNotFailed(t *testing.T) {
	grips := map[api.Token]*model.Grip{"a": gripOf(7, 1), "b": gripOf(7, 2), "c": gripOf(8, 1)}
	wide := handle.Limits{PerSession: 2, Total: 2}
	for name, c := range map[string]struct {
		room   handle.Limits
		beats  []api.KeepAlive
		breaks bool
	}{
		"with that word itself":   {wide, []api.KeepAlive{{Tokens: []api.Token{"a"}, AckedEpoch: 3}}, true},
		"before it":               {wide, []api.KeepAlive{{Tokens: []api.Token{"a"}}, {AckedEpoch: 3}}, true},
		"with others":             {wide, []api.KeepAlive{{Tokens: []api.Token{"b", "a"}}, {AckedEpoch: 3}}, true},
		"after it":                {wide, []api.KeepAlive{{AckedEpoch: 3}, {Tokens: []api.Token{"a"}}}, false},
		"never":                   {wide, []api.KeepAlive{{AckedEpoch: 3}}, false},
		"another":                 {wide, []api.KeepAlive{{Tokens: []api.Token{"b"}, AckedEpoch: 3}}, false},
		"another session's":       {wide, []api.KeepAlive{{Tokens: []api.Token{"c"}, AckedEpoch: 3}}, false},
		"forged":                  {wide, []api.KeepAlive{{Tokens: []api.Token{"d"}, AckedEpoch: 3}}, false},
		"one too many of them":    {handle.Limits{PerSession: 1, Total: 2}, []api.KeepAlive{{Tokens: []api.Token{"b", "a"}, AckedEpoch: 3}}, false},
		"one too many of all":     {handle.Limits{PerSession: 2, Total: 1}, []api.KeepAlive{{Tokens: []api.Token{"b", "a"}, AckedEpoch: 3}}, true},
		"one, again and again":    {handle.Limits{PerSession: 1, Total: 1}, []api.KeepAlive{{Tokens: []api.Token{"a"}}, {Tokens: []api.Token{"a"}, AckedEpoch: 3}}, true},
		"of what is not its room": {handle.Limits{PerSession: 1, Total: 1}, []api.KeepAlive{{Tokens: []api.Token{"c", "a"}, AckedEpoch: 3}}, true},
	} {
		t.Run(name, func(t *testing.T) {
			r := newReign(t, 6)
			r.w.Seats[1].Brought.Limits = c.room
			r.facts.grips = grips
			for i, k := range c.beats {
				r.w.OnRequest(1, second(1), api.Request{ID: uint64(i) + 1, Session: 7, Epoch: 3, Op: k})
			}
			r.proposes(2, command.FailHandle{Guard: 3, Session: 7, Handle: grips["a"].ID})
			require.Equal(t, c.breaks, r.f.Failure() != nil)
			if c.breaks {
				r.f.Breaks("S9")
			}
		})
	}
}

func gripOf(s api.SessionID, n uint64) *model.Grip {
	return &model.Grip{ID: api.HandleID{Epoch: 1, Counter: n}, Session: s}
}

// A master that begins to serve in epoch 3 has freed the locks of older handles that no
// client presented.
func TestS8LocksOfUnpresentedHandlesAreFreed(t *testing.T) {
	before, since := model.Owner{Session: 7, Handle: api.HandleID{Epoch: 1, Counter: 1}}, model.Owner{Session: 7, Handle: api.HandleID{Epoch: 3, Counter: 1}}
	for name, c := range map[string]struct {
		held, brought []model.Owner
		breaks        bool
	}{
		"not presented":             {[]model.Owner{before}, nil, true},
		"presented":                 {[]model.Owner{before}, []model.Owner{before}, false},
		"another is":                {[]model.Owner{before}, []model.Owner{since}, true},
		"freed":                     {nil, nil, false},
		"by a handle of this epoch": {[]model.Owner{since}, nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			r := newReign(t, 6)
			r.beats(1, 1, 3)
			r.facts.holders = c.held
			for _, o := range c.brought {
				r.w.Seats[1].Brought.Take(o)
			}
			r.w.OnServing(1, second(1))
			require.Equal(t, c.breaks, r.f.Failure() != nil)
			if c.breaks {
				r.f.Breaks("S8")
			}
		})
	}
}
