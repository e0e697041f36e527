package cell

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/master/nodeops"
	"github.com/chubbycell/chubby/sim/check/handles"
	"github.com/chubbycell/chubby/sim/model"
)

// Session 3 asks to wait for a lock for which sessions 1 and 2 may wait.
func TestWhoMayNotWaitFindsTheQueueFull(t *testing.T) {
	w := newWaiters(t)
	limits := nodeops.DefaultConfig()
	full := func(perLock, total int, e api.Epoch) bool {
		limits.Queues.PerLock, limits.Queues.Total = perLock, total
		return handles.NewRoom(limits, w.b).MayBeFull(3, e, api.Acquire{Handle: "x", Mode: api.Exclusive, Wait: true}, gripOn(3))
	}
	for s := range api.SessionID(3) {
		w.asks(s+1, api.Exclusive)
	}
	require.True(t, full(2, 9, 3))
	require.True(t, full(9, 2, 3))
	require.False(t, full(3, 3, 3))
	require.False(t, full(2, 2, 4), "they wait in an earlier epoch")
	w.told(1, api.Gone)
	require.False(t, full(2, 2, 3))

	// By another call of the same handle.
	w.b.OnRequest(api.Request{Session: 3, Seq: 6, Epoch: 3, Op: api.Acquire{Handle: "x", Mode: api.Shared, Wait: true}}, gripOn(3), true)
	require.True(t, full(9, 9, 3))
	require.False(t, handles.NewRoom(limits, w.b).MayBeFull(3, 3, api.Acquire{Handle: "x", Mode: api.Shared}, gripOn(3)), "it does not wait")
}

// A session that wanted to close more handles of earlier epochs in one than a master
// remembers may find all others closed.
func TestWhoClosesMoreThanIsRemembered(t *testing.T) {
	limits := nodeops.DefaultConfig()
	limits.Handles.Closed = 2
	b := handles.NewRoom(limits, nil)
	closes := func(e api.Epoch, n uint64) {
		b.OnRequest(api.Request{Session: 7, Seq: 1, Epoch: e, Op: api.CloseHandle{Handle: "x"}}, gripOf(7, n))
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
	b := handles.NewRoom(nodeops.DefaultConfig(), nil)
	require.True(t, b.IsFirst(model.Call{Session: 1, Seq: 2}))
	require.False(t, b.IsFirst(model.Call{Session: 1, Seq: 2}))
	require.True(t, b.IsFirst(model.Call{Session: 1, Seq: 3}))
}
