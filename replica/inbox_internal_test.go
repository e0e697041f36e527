package replica

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/core"
	"github.com/chubbycell/chubby/replica/driver"
)

// Messages of clients are bounded in bytes, too, and one client leaves room for others.
func TestMessagesThatWaitAreBoundedInBytes(t *testing.T) {
	b := newInbox(driver.DefaultConfig().Inbox)
	large := make([]byte, api.MaxMessage)
	fill := func(client core.Addr) (n int) {
		for b.add(input{client: client, wire: large}) {
			n++
		}
		return n
	}
	all := mostBytes / len(large)
	require.InDelta(t, all/2, fill(1), 1)
	require.InDelta(t, all/4, fill(2), 1)
	require.True(t, b.add(input{client: 3, wire: []byte("small")}))
	require.True(t, b.add(input{fromPeer: true, peer: 2, wire: large}), "peers have a bound of their own")
	for _, ok := b.next(); ok; _, ok = b.next() {
	}
	require.Zero(t, b.bytes)
	require.Empty(t, b.of)
	require.Empty(t, b.ofAll)
	require.InDelta(t, all/2, fill(1), 1, "there is room again")
}

// One principal with many clients leaves room for others.
func TestAPrincipalLeavesRoomInBytes(t *testing.T) {
	b := newInbox(driver.DefaultConfig().Inbox)
	large := make([]byte, api.MaxMessage)
	n := 0
	for client := core.Addr(100); b.add(input{client: client, who: "eve", wire: large}); client++ {
		n++
	}
	require.InDelta(t, mostBytes/len(large)*8/9, n, 2)
	require.True(t, b.add(input{client: 1, who: "ann", wire: large}))
}
