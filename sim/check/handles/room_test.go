package handles

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/master/nodeops"
	"github.com/chubbycell/chubby/sim/check/locks"
	"github.com/chubbycell/chubby/sim/conformance/lockwait"
	"github.com/chubbycell/chubby/sim/model"
	"github.com/chubbycell/chubby/sim/worldtest"
)

// Session 3 asks to wait for a lock that sessions 1 and 2 may be waiting for.
func TestAnAcquireIsRefusedOnlyWhenTheQueueIsFull(t *testing.T) {
	w := worldtest.New(t)
	queues := lockwait.New(w.World, locks.New(w.World, 0))
	node := api.Ref{Path: worldtest.Path("/f"), Instance: 9}
	asks := func(s api.SessionID, seq api.Seq, m api.Mode) {
		queues.OnRequest(api.Request{Session: s, Seq: seq, Epoch: 3, Op: api.Acquire{Handle: "x", Mode: m, Wait: true}}, gripOn(node, s), true)
	}
	limits := nodeops.DefaultConfig()
	full := func(perLock, total int, e api.Epoch) bool {
		limits.Queues.PerLock, limits.Queues.Total = perLock, total
		return NewRoom(limits, queues).MayBeFull(3, e, api.Acquire{Handle: "x", Mode: api.Exclusive, Wait: true}, gripOn(node, 3))
	}
	for s := range api.SessionID(3) {
		asks(s+1, 5, api.Exclusive)
	}
	require.True(t, full(2, 9, 3))
	require.True(t, full(9, 2, 3))
	require.False(t, full(3, 3, 3))
	require.False(t, full(2, 2, 4), "they wait in an earlier epoch")
	queues.OnActed(1, 1, []api.Reply{{Session: 1, Seq: 5, Epoch: 3, Result: api.Result{Code: api.Gone}}}, nil)
	require.False(t, full(2, 2, 3))

	// By another call of the same handle.
	asks(3, 6, api.Shared)
	require.True(t, full(9, 9, 3))
	require.False(t, NewRoom(limits, queues).MayBeFull(3, 3, api.Acquire{Handle: "x", Mode: api.Shared}, gripOn(node, 3)), "it does not wait")
}

// gripOn returns a handle of a session on a node, given out in epoch 3.
func gripOn(n api.Ref, s api.SessionID) *model.Grip {
	return &model.Grip{ID: api.HandleID{Epoch: 3, Counter: uint64(s)}, Session: s, Node: n}
}

// A session that asks, in one epoch, to close more older handles than a master remembers may
// find all its other older handles closed.
func TestASessionClosesMoreHandlesThanAreRemembered(t *testing.T) {
	limits := nodeops.DefaultConfig()
	limits.Handles.Closed = 2
	b := NewRoom(limits, nil)
	closes := func(e api.Epoch, n uint64) {
		b.OnRequest(api.Request{Session: 7, Seq: 1, Epoch: e, Op: api.CloseHandle{Handle: "x"}}, &model.Grip{ID: api.HandleID{Epoch: 1, Counter: n}, Session: 7})
	}
	closes(3, 1)
	closes(3, 2)
	closes(3, 2)
	closes(4, 3)
	require.False(t, b.Over[7])
	closes(3, 4)
	require.True(t, b.Over[7])
	require.False(t, b.Over[8])
}

// A call that was refused once is refused again, whatever room there is.
func TestACopyIsRefusedForWantOfRoomAsItsCallWas(t *testing.T) {
	b := NewRoom(nodeops.DefaultConfig(), nil)
	require.True(t, b.IsFirst(model.Call{Session: 1, Seq: 2}))
	require.False(t, b.IsFirst(model.Call{Session: 1, Seq: 2}))
	require.True(t, b.IsFirst(model.Call{Session: 1, Seq: 3}))
}
