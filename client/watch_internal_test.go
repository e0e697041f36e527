package client

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/client/session"
	"github.com/chubbycell/chubby/replica/api"
)

// A Client asks for events of its own where a handle keeps its lock. The program hears of what it has asked for
// alone, also before it has its handle.
func TestAHandleHearsOfNothingThatOnlyTheClientAskedFor(t *testing.T) {
	draw := uint64(0)
	cl := New(NewRuntime(func(Replica, []byte) {}), Config{Replicas: []uint32{1}, Draw: func() uint64 { draw++; return draw }})
	c := cl.local
	for asks, want := range map[EventMask]int{0: 0, WantContents: 0, WantInvalid: 1, WantInvalid | WantLockWanted: 1} {
		w := &call{name: "/ls/local/f", mask: asks | WantInvalid | WantLockWanted, asks: asks}
		c.mu.Lock()
		c.watches = watches{opens: 1}
		c.addOpened(w, session.Done{Outcome: session.Executed, Result: api.Result{Code: api.OK, Detail: api.Opened{Node: api.Ref{Instance: 5}}}})
		c.dispatchEvent(session.Event{Kind: session.EventExpired})
		c.mu.Unlock()
		require.Len(t, w.watch.events.queue, want, "asked for %v", asks)
	}
}
