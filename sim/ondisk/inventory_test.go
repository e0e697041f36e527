package ondisk_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/sim/ondisk"
	"github.com/chubbycell/chubby/wal/vfs"
)

// An inventory has both copies of the promise register, whatever they say, and the snapshots by their names.
func TestInventory(t *testing.T) {
	require.Equal(t, "promise.a: not there; promise.b: not there; no snapshot", ondisk.Inventory(vfs.NewMem(), "cell"))

	h := newFilledStore(t, 1<<12)
	h.append(t, paxos.Promised{Ballot: paxos.Ballot{Round: 9, Node: 1}})
	require.NoError(t, h.mem.Corrupt("cell/promise.a", 30, 1))
	for _, name := range []string{"00000000000000000097.snap", "00000000000000000100.snap", "00000000000000000101.tmp"} {
		f, err := h.mem.Create("cell/snapshots/" + name)
		require.NoError(t, err)
		require.NoError(t, f.Close())
	}
	require.Regexp(t, `^promise\.a: unreadable; promise\.b: version \d+, promise 9\.1, boot 5, records durable to #\d+; snapshots of slots 97, 100$`, ondisk.Inventory(h.mem, "cell"))
}
