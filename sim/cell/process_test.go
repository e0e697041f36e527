package cell

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/driver"
)

// Messages that waited for a slow disk leave together: the same question goes to two peers in turn.
func TestL1TheSameWordsToAnotherPeerAreAnotherQuestion(t *testing.T) {
	c := someCell(t, 3)
	r := running(c.machines.Replicas[0])
	wire := paxos.AppendMessage(nil, paxos.Fetch{Slots: paxos.Range{From: 1 << 20, To: 1<<20 + 1}})
	var all []driver.PeerMessage
	for i := range 9 {
		all = append(all, driver.PeerMessage{To: paxos.NodeID(2 + i%2), Wire: wire})
	}
	r.Send(all)
	require.Nil(t, c.world.Failure())
	for i := range all {
		all[i].To = 2
	}
	r.Send(all)
	require.NotNil(t, c.world.Failure())
	require.Equal(t, "L1", c.world.Failure().ID)
}
