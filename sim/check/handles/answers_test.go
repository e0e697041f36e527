package handles

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/master/handle"
	"github.com/chubbycell/chubby/replica/state/command"
	"github.com/chubbycell/chubby/sim/model"
)

func openF(*keeper) api.Op   { return api.Open{Path: "f", Rights: rw} }
func waitF(k *keeper) api.Op { return api.Acquire{Handle: k.token, Mode: api.Shared, Wait: true} }

// Each case makes a justified request, and is refused.
func TestS14ARefusalHasACause(t *testing.T) {
	many := map[api.HandleID]bool{}
	for i := range handle.DefaultLimits.Closed + 1 {
		many[api.HandleID{Epoch: 2, Counter: uint64(i)}] = true
	}
	for name, c := range map[string]struct {
		before func(k *keeper)
		op     func(k *keeper) api.Op
		epoch  api.Epoch
		code   api.Code
		breaks bool
	}{
		"bad":                       {nil, nil, 3, api.BadHandle, true},
		"bad, in a later epoch":     {func(k *keeper) { k.epoch(4) }, nil, 4, api.BadHandle, true},
		"closed":                    {nil, nil, 3, api.HandleClosed, true},
		"poisoned":                  {nil, nil, 3, api.HandlePoisoned, true},
		"without the right":         {nil, nil, 3, api.NoRight, true},
		"not allowed":               {nil, nil, 3, api.Permission, true},
		"not allowed any more":      {func(k *keeper) { k.epoch(4) }, nil, 4, api.Permission, false},
		"not allowed to give it up": {func(k *keeper) { k.epoch(4) }, func(k *keeper) api.Op { return api.Poison{Handle: k.token} }, 4, api.Permission, true},
		"gone":                      {nil, nil, 3, api.Gone, false},
		"busy":                      {nil, nil, 3, api.Busy, false},
		"closed, and its session wanted that": {func(k *keeper) {
			k.asks(7, "ann", 3, api.CloseHandle{Handle: k.token})
		}, nil, 3, api.HandleClosed, false},
		"closed, and another session wanted that": {func(k *keeper) {
			k.asks(8, "bob", 3, api.CloseHandle{Handle: k.token})
			k.asks(7, "bob", 3, api.CloseHandle{Handle: k.token})
		}, nil, 3, api.HandleClosed, true},
		"closed, as too many others are": {func(k *keeper) {
			k.epoch(4)
			k.h.Room.Closed[Tenancy{Session: 7, Epoch: 4}] = many
		}, nil, 4, api.HandleClosed, false},
		"closed, as too many others were when it came first": {func(k *keeper) {
			k.epoch(4)
			k.asks(7, "ann", 4, api.GetStat{Handle: k.token})
			k.h.Room.Closed[Tenancy{Session: 7, Epoch: 4}] = many
			k.seq-- // the same call, again
			k.epoch(5)
		}, nil, 5, api.HandleClosed, false},
		"closed, as too many others were, and it came later": {func(k *keeper) {
			k.epoch(4)
			k.h.Room.Closed[Tenancy{Session: 7, Epoch: 4}] = many
			k.epoch(5)
		}, nil, 5, api.HandleClosed, true},
		"too large": {nil, func(k *keeper) api.Op {
			return api.SetContents{Handle: k.token, Contents: strings.Repeat("x", 256<<10)}
		}, 3, api.TooLarge, true},
		"too large by a byte": {nil, func(k *keeper) api.Op {
			return api.SetContents{Handle: k.token, Contents: strings.Repeat("x", 256<<10+1)}
		}, 3, api.TooLarge, false},
		"invalid":                  {nil, nil, 3, api.Invalid, true},
		"a sequencer that is none": {nil, func(k *keeper) api.Op { return api.CheckSequencer{Handle: k.token} }, 3, api.Invalid, false},
		"a call that is waited for": {func(k *keeper) { k.h.Requests.Seen[7] = 3 }, func(k *keeper) api.Op {
			return api.CancelAcquire{Handle: k.token, Call: 4}
		}, 3, api.Invalid, true},
		"a call that no client waits for": {func(k *keeper) { k.h.Requests.Seen[7] = 4 }, func(k *keeper) api.Op {
			return api.CancelAcquire{Handle: k.token, Call: 4}
		}, 3, api.Invalid, false},
		"no room, and none is needed":   {func(k *keeper) { k.h.Room.Limits.Handles.PerSession = 1 }, nil, 3, api.Crowded, true},
		"no room":                       {func(k *keeper) { k.h.Room.Limits.Handles.PerSession = 2 }, openF, 3, api.Crowded, false},
		"no room, but there is":         {func(k *keeper) { k.h.Room.Limits.Handles.PerSession = 3 }, openF, 3, api.Crowded, true},
		"no room for all":               {func(k *keeper) { k.h.Room.Limits.Handles.Total = 2 }, openF, 3, api.Crowded, false},
		"no room for all, but there is": {func(k *keeper) { k.h.Room.Limits.Handles.Total = 3 }, openF, 3, api.Crowded, true},
		"no room to take it up": {func(k *keeper) {
			k.epoch(4)
			k.h.Room.Limits.Handles.PerSession = 1
		}, nil, 4, api.Crowded, false},
		"no room to wait, and none waits":             {nil, waitF, 3, api.Crowded, true},
		"no room to wait, said to the hostile client": {func(k *keeper) { k.h.Answers.intruder = "ann" }, waitF, 3, api.Crowded, false},
		"no room, said by a laggard": {func(k *keeper) {
			k.lags = true
		}, waitF, 3, api.Crowded, false},
		"poisoned, and its session wanted that": {func(k *keeper) {
			k.asks(7, "ann", 3, api.Poison{Handle: k.token})
		}, nil, 3, api.HandlePoisoned, false},
	} {
		t.Run(name, func(t *testing.T) {
			k := newKeeper(t)
			if c.before != nil {
				c.before(k)
			}
			op := api.Op(api.GetStat{Handle: k.token})
			if c.op != nil {
				op = c.op(k)
			}
			k.answer("ann", 7, k.asks(7, "ann", c.epoch, op), c.epoch, api.Result{Code: c.code})
			if c.breaks {
				k.Breaks("S14")
			} else {
				k.Good()
			}
		})
	}
}

// An Open is told that there is no room for its handle.
func TestS14AnOpenWithoutRoomForItsHandle(t *testing.T) {
	for name, c := range map[string]struct {
		op     func(k *keeper) api.Op
		most   int // handles of a session
		logged bool
		breaks bool
	}{
		"no room, and it was executed": {openF, 2, true, false},
		"room, and it was executed":    {openF, 3, true, true},
		"no room, and it was not":      {openF, 2, false, true},
		"no Open":                      {waitF, 2, true, true},
	} {
		t.Run(name, func(t *testing.T) {
			k := newKeeper(t)
			k.h.Room.Limits.Handles.PerSession = c.most
			seq := k.asks(7, "ann", 3, c.op(k))
			k.h.Answers.OnReply(1, "ann", api.Reply{Session: 7, Seq: seq, Epoch: 3, Result: api.Result{Code: api.NoHandle}}, c.logged)
			require.EqualValues(t, 1, k.h.Answers.Homeless)
			if c.breaks {
				k.Breaks("S14")
			} else {
				k.Good()
			}
		})
	}
}

// In epoch 4, a handle is given out to a copy of an Open that was executed in epoch 3, and
// its session writes with it.
func TestS16AHandleThatNobodyHasTested(t *testing.T) {
	for name, c := range map[string]struct {
		before, since func(k *keeper)
		guard         api.Epoch
		breaks        bool
	}{
		"the rights are there still":      {nil, nil, 3, false},
		"they were taken away before":     {(*keeper).no, nil, 3, true},
		"they were taken away in epoch 4": {nil, (*keeper).no, 3, false},
		"it was executed in epoch 4":      {(*keeper).no, nil, 4, false},
	} {
		k := newKeeper(t)
		if c.before != nil {
			c.before(k)
		}
		k.epoch(4)
		open := api.Open{Path: "f", Rights: rw}
		seq := k.asks(7, "ann", 4, open)
		k.b.Executed[model.Call{Session: 7, Seq: seq}] = c.guard
		if c.since != nil {
			c.since(k)
		}
		token := k.seal.Seal(handle.Handle{ID: api.HandleID{Epoch: 4, Counter: 9}, Session: 7, Node: k.node, Kind: api.File, Rights: rw})
		k.h.Answers.OnReply(1, "ann", api.Reply{Session: 7, Seq: seq, Epoch: 4, Result: api.Result{Code: api.OK, Detail: api.Opened{Token: token, Node: k.node}}}, true)
		k.Good()
		write := k.asks(7, "ann", 4, api.SetContents{Handle: token, Contents: "x"})
		k.proposes(7, write, 4, command.SetContents{Node: k.node, Contents: "x"})
		require.Equal(t, c.breaks, k.Failure() != nil, name)
	}
}

// The token that answers a SetSequencer names that sequencer, not another one or none.
func TestS10TheTokenSaysToWhatItsHandleIsTied(t *testing.T) {
	for name, tie := range map[string]func(q *api.Sequencer){
		"it does":      nil,
		"none":         func(q *api.Sequencer) { *q = api.Sequencer{} },
		"an older one": func(q *api.Sequencer) { q.Gen-- },
	} {
		t.Run(name, func(t *testing.T) {
			k := newKeeper(t)
			q := k.sequencer()
			said := q
			if tie != nil {
				tie(&said)
			}
			token := k.seal.Seal(handle.Handle{ID: api.HandleID{Epoch: 3, Counter: 1}, Session: 7, Node: k.node, Kind: api.File, Rights: rw, Fence: said})
			seq := k.asks(7, "ann", 3, api.SetSequencer{Handle: k.token, Sequencer: q.Encode()})
			k.answer("ann", 7, seq, 3, api.Result{Code: api.OK, Detail: api.Opened{Token: token}})
			if tie == nil {
				k.Good()
			} else {
				k.Breaks("S10")
			}
		})
	}
}

// A handle is closed in the epoch whose master says so, even if a copy of the request comes
// later to an older master and names its epoch.
func TestS14AHandleIsClosedInTheEpochOfTheAnswer(t *testing.T) {
	k := newKeeper(t)
	k.epoch(4)
	op := api.CloseHandle{Handle: k.token}
	seq := k.asks(7, "ann", 4, op)
	k.seq--
	k.asks(7, "ann", 3, op)
	k.answer("ann", 7, seq, 4, api.Result{Code: api.OK})
	k.Good()
	g := k.h.Grips.Given[k.token]
	require.False(t, g.Shut(3))
	require.True(t, g.Shut(4))
}
