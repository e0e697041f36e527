package cell

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/model"
)

// The network holds back all copies of one write until an answer makes final what there is
// without it, and nothing else.
func TestAWriteComesAfterItsClientHasGivenItUp(t *testing.T) {
	c := someCell(t, 3, lively)
	client, to := c.clients[0].Addr(), c.replicas[0].Addr()
	sent := func(session api.SessionID, seq api.Seq, op api.Op) []byte {
		return api.AppendRequest(nil, api.Request{Session: session, Seq: seq, Op: op})
	}
	write, read := api.Put{Key: "k", Value: "v"}, api.Get{Key: "k"}
	require.False(t, c.delays(client, to, sent(7, 5, write)), "nothing has struck")
	l := &heldWrite{from: client}
	c.heldWrites = append(c.heldWrites, l)
	for name, wire := range map[string][]byte{
		"a read":          sent(7, 5, read),
		"no session":      sent(0, 0, api.OpenSession{Nonce: api.Nonce{1, 1}}),
		"no request":      []byte("x"),
		"to open a node":  sent(7, 5, api.Open{Path: "f", Rights: api.RightRead}),
		"a lock":          sent(7, 5, api.Acquire{Handle: "x", Mode: api.Shared}),
		"a handle closed": sent(7, 5, api.CloseHandle{Handle: "x"}),
	} {
		require.False(t, c.delays(client, to, wire), name)
	}
	require.False(t, c.delays(c.clients[1].Addr(), to, sent(7, 5, write)), "of another client")
	require.True(t, c.delays(client, to, sent(7, 5, write)))
	require.False(t, c.delays(client, to, sent(7, 6, write)), "another write")
	require.True(t, c.delays(client, c.replicas[1].Addr(), sent(7, 5, write)), "a copy elsewhere")

	answered := func(seq, seen api.Seq) {
		c.watch.Final.Asks(api.Request{Session: 7, Seq: seq, AckedThrough: seen, Op: read})
		c.watch.Final.Answered(model.Call{Session: 7, Seq: seq})
		c.outlived()
	}
	answered(8, 4)
	require.Len(t, c.heldWrites, 1, "the client waits for it still")
	answered(9, 5)
	require.Empty(t, c.heldWrites)
	require.Len(t, l.copies, 2)
	require.EqualValues(t, 1, c.rare.outlived)
	require.False(t, c.delays(client, to, sent(7, 5, write)))
	require.Equal(t, sim.Reached, c.world.Run(20*time.Second))
	require.Nil(t, c.world.Failure())
}

// Strikes end with the safety phase, and none of them by itself breaks anything.
func TestWritesThatComeLateBreakNothing(t *testing.T) {
	c := someCell(t, 3, lively)
	for i := range uint64(8) {
		lateCopies(c, c.world.Draw("test", i))
	}
	require.NotEmpty(t, c.heldWrites)
	require.Equal(t, sim.Reached, c.world.Run(20*time.Second))
	require.Nil(t, c.world.Failure())
	c.heal()
	require.Empty(t, c.heldWrites)
}
