package host_test

import (
	"encoding/hex"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/db"
	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/host"
)

var snapID = host.SnapshotID{
	Handle: paxos.Handle{Slot: 9, Ballot: paxos.Ballot{Round: 2, Node: 1}, Members: []paxos.NodeID{1, 2, 3}, Epoch: 4},
	Size:   300, Sum: 0xabcd,
}

// The layout, as transfer_message.go lists it, and the lines of traces.
var transfers = []struct {
	m    host.Transfer
	wire string
	text string
}{
	{host.Ask{Slot: 9}, "0140 00000000 00 00 00 09 00", "ask any snapshot of slot 9 on"},
	{host.Ask{ID: snapID, Offset: 128}, "0140 09020104 03010203 ac02 cdd702 00 8001",
		"ask snapshot of slot 9 ballot 2.1 epoch 4 members [1 2 3], 300 bytes, sum 000000000000abcd at 128"},
	{host.Piece{ID: snapID, Offset: 298, Data: "\x00\xff"}, "0141 09020104 03010203 ac02 cdd702 aa02 00ff",
		"piece of snapshot of slot 9 ballot 2.1 epoch 4 members [1 2 3], 300 bytes, sum 000000000000abcd [298,300)"},
	{host.Gone{ID: snapID}, "0142 09020104 03010203 ac02 cdd702 00",
		"gone snapshot of slot 9 ballot 2.1 epoch 4 members [1 2 3], 300 bytes, sum 000000000000abcd"},
	{host.Gone{Slot: 9}, "0142 00000000 00 00 00 09", "gone any snapshot of slot 9 on"},
	{host.AskSum{Slot: 300}, "0143 ac02", "ask sum after slot 300"},
	{host.TellSum{Slot: 9, Sum: db.Sum{A: 1, B: 0xf0}}, "0144 09 0100000000000000 f000000000000000",
		"sum after slot 9 is 000000000000000100000000000000f0"},
	{host.NoSum{Slot: 9}, "0145 09", "no sum after slot 9"},
	{host.Relay{From: 4, To: 200, M: host.NoSum{Slot: 9}}, "0146 04 c801 0145 09", "replica 4 to replica 200: no sum after slot 9"},
}

func TestTransfersOnTheWire(t *testing.T) {
	for _, c := range transfers {
		wire := host.AppendTransfer(nil, c.m)
		require.Equal(t, strings.ReplaceAll(c.wire, " ", ""), hex.EncodeToString(wire), "%v", c.m)
		require.Equal(t, c.text, c.m.(interface{ String() string }).String())
		require.True(t, host.IsTransfer(string(wire)))
		got, err := host.DecodeTransfer(string(wire))
		require.NoError(t, err)
		require.Equal(t, c.m, got)
		_, err = paxos.DecodeMessage(string(wire))
		require.Error(t, err, "package paxos knows none of these kinds")
		for n := range wire {
			if _, piece := c.m.(host.Piece); piece && n >= len(wire)-2 {
				continue // a shorter piece is a piece
			}
			_, err := host.DecodeTransfer(string(wire[:n]))
			require.ErrorIs(t, err, host.ErrMalformed, "%d bytes of %v", n, c.m)
		}
	}
	require.False(t, host.IsTransfer(string(paxos.AppendMessage(nil, paxos.Fetch{Slots: paxos.Range{From: 1, To: 2}}))))
}

func TestTransfersThatNobodySends(t *testing.T) {
	id := func(f func(*host.SnapshotID)) host.SnapshotID {
		c := snapID
		c.Handle.Members = []paxos.NodeID{1, 2, 3}
		f(&c)
		return c
	}
	for name, m := range map[string]host.Transfer{
		"asks for two":             host.Ask{ID: snapID, Slot: 3},
		"asks for none":            host.Ask{},
		"asks from behind":         host.Ask{ID: snapID, Offset: 300},
		"any, from the middle":     host.Ask{Slot: 3, Offset: 1},
		"empty piece":              host.Piece{ID: snapID, Offset: 1},
		"piece beyond the end":     host.Piece{ID: snapID, Offset: 299, Data: "ab"},
		"piece of none":            host.Piece{Data: "a"},
		"gone, of nothing":         host.Gone{},
		"gone, of two":             host.Gone{ID: snapID, Slot: 2},
		"no members":               host.Gone{ID: id(func(c *host.SnapshotID) { c.Handle.Members = nil })},
		"members out of order":     host.Gone{ID: id(func(c *host.SnapshotID) { c.Handle.Members[0] = 2 })},
		"member 0":                 host.Gone{ID: id(func(c *host.SnapshotID) { c.Handle.Members[0] = 0 })},
		"no size":                  host.Gone{ID: id(func(c *host.SnapshotID) { c.Size = 0 })},
		"slot 0 and a sum":         host.Ask{ID: id(func(c *host.SnapshotID) { c.Handle.Slot = 0 }), Slot: 3},
		"asks for the sum of none": host.AskSum{},
		"tells the sum of none":    host.TellSum{},
		"a slot beyond the last":   host.NoSum{Slot: paxos.MaxSlot},
		"relays what it may not":   host.Relay{From: 1, To: 2, M: host.Gone{Slot: 2}},
		"relays for nobody":        host.Relay{To: 2, M: host.AskSum{Slot: 2}},
		"relays to nobody":         host.Relay{From: 1, M: host.AskSum{Slot: 2}},
		"relays to itself":         host.Relay{From: 2, To: 2, M: host.AskSum{Slot: 2}},
		"relays a sum of none":     host.Relay{From: 1, To: 2, M: host.AskSum{}},
		"relays a relay":           host.Relay{From: 1, To: 2, M: host.Relay{From: 1, To: 2, M: host.AskSum{Slot: 2}}},
		"more members than can be": host.Gone{ID: id(func(c *host.SnapshotID) { c.Handle.Members = make([]paxos.NodeID, 65) })},
	} {
		_, err := host.DecodeTransfer(string(host.AppendTransfer(nil, m)))
		require.ErrorIs(t, err, host.ErrMalformed, name)
	}
}

func FuzzDecodeTransfer(f *testing.F) {
	for _, c := range transfers {
		f.Add(host.AppendTransfer(nil, c.m))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		m, err := host.DecodeTransfer(string(b))
		if err != nil {
			require.ErrorIs(t, err, host.ErrMalformed)
			return
		}
		require.Equal(t, b, host.AppendTransfer(nil, m))
	})
}
