package restore

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/db"
	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/disk/store"
	"github.com/chubbycell/chubby/sim/damage"
	"github.com/chubbycell/chubby/sim/model"
	"github.com/chubbycell/chubby/wal/vfs"
)

// A new replica has promised the ballot of its rows, and its log begins at the slot after
// them.
func TestANewReplicaBeginsWhereItsRowsEnd(t *testing.T) {
	h := paxos.Handle{Slot: 70, Ballot: ballotOf(5, 1), Members: []paxos.NodeID{1, 2, 3}, Epoch: 9}
	mem := vfs.NewMem()
	require.NoError(t, store.Restore(mem, damage.DataDir, store.Options{Salt: func() uint64 { return 7 }}, h, db.New().View()))
	require.Equal(t, model.Finding{}, checkDisk(mem, h))

	lower, above, below := h, h, h
	lower.Ballot, above.Slot, below.Slot = ballotOf(5, 2), 71, 69
	require.Equal(t, "S2", checkDisk(mem, lower).ID)
	require.Equal(t, "S3", checkDisk(mem, above).ID)
	require.Equal(t, "S3", checkDisk(mem, below).ID)
	require.Equal(t, "S2", checkDisk(vfs.NewMem(), h).ID, "nothing was written")
}

func ballotOf(round uint64, id paxos.NodeID) paxos.Ballot {
	return paxos.Ballot{Round: round, Node: id}
}
