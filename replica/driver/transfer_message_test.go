package driver_test

import (
	"encoding/hex"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/db"
	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/driver"
)

var snapID = driver.SnapshotID{
	Handle: paxos.Handle{Slot: 9, Ballot: paxos.Ballot{Round: 2, Node: 1}, Members: []paxos.NodeID{1, 2, 3}, Epoch: 4},
	Size:   300, Sum: 0xabcd,
}

// The layout, as transfer_message.go lists it, and the lines of traces.
var transfers = []struct {
	m    driver.Transfer
	wire string
	text string
}{
	{driver.Ask{Slot: 9}, "0140 00000000 00 00 00 09 00", "ask any snapshot of slot 9 on"},
	{driver.Ask{ID: snapID, Offset: 128}, "0140 09020104 03010203 ac02 cdd702 00 8001",
		"ask snapshot of slot 9 ballot 2.1 epoch 4 members [1 2 3], 300 bytes, sum 000000000000abcd at 128"},
	{driver.Piece{ID: snapID, Offset: 298, Data: "\x00\xff"}, "0141 09020104 03010203 ac02 cdd702 aa02 00ff",
		"piece of snapshot of slot 9 ballot 2.1 epoch 4 members [1 2 3], 300 bytes, sum 000000000000abcd [298,300)"},
	{driver.Gone{ID: snapID}, "0142 09020104 03010203 ac02 cdd702 00",
		"gone snapshot of slot 9 ballot 2.1 epoch 4 members [1 2 3], 300 bytes, sum 000000000000abcd"},
	{driver.Gone{Slot: 9}, "0142 00000000 00 00 00 09", "gone any snapshot of slot 9 on"},
	{driver.AskSum{Slot: 300}, "0143 ac02", "ask sum after slot 300"},
	{driver.TellSum{Slot: 9, Sum: db.Sum{A: 1, B: 0xf0}}, "0144 09 0100000000000000 f000000000000000",
		"sum after slot 9 is 000000000000000100000000000000f0"},
	{driver.NoSum{Slot: 9}, "0145 09", "no sum after slot 9"},
	{driver.Relay{From: 4, To: 200, M: driver.NoSum{Slot: 9}}, "0146 04 c801 0145 09", "replica 4 to replica 200: no sum after slot 9"},
}

func TestTransfersOnTheWire(t *testing.T) {
	for _, c := range transfers {
		wire := driver.AppendTransfer(nil, c.m)
		require.Equal(t, strings.ReplaceAll(c.wire, " ", ""), hex.EncodeToString(wire), "%v", c.m)
		require.Equal(t, c.text, c.m.(interface{ String() string }).String())
		require.True(t, driver.IsTransfer(string(wire)))
		got, err := driver.DecodeTransfer(string(wire))
		require.NoError(t, err)
		require.Equal(t, c.m, got)
		_, err = paxos.DecodeMessage(string(wire))
		require.Error(t, err, "package paxos knows none of these kinds")
		for n := range wire {
			if _, piece := c.m.(driver.Piece); piece && n >= len(wire)-2 {
				continue // a shorter piece is a piece
			}
			_, err := driver.DecodeTransfer(string(wire[:n]))
			require.ErrorIs(t, err, driver.ErrMalformed, "%d bytes of %v", n, c.m)
		}
	}
	require.False(t, driver.IsTransfer(string(paxos.AppendMessage(nil, paxos.Fetch{Slots: paxos.Range{From: 1, To: 2}}))))
}

func TestTransfersThatNobodySends(t *testing.T) {
	id := func(f func(*driver.SnapshotID)) driver.SnapshotID {
		c := snapID
		c.Handle.Members = []paxos.NodeID{1, 2, 3}
		f(&c)
		return c
	}
	for name, m := range map[string]driver.Transfer{
		"asks for two":              driver.Ask{ID: snapID, Slot: 3},
		"asks for none":             driver.Ask{},
		"asks from behind":          driver.Ask{ID: snapID, Offset: 300},
		"any, from the middle":      driver.Ask{Slot: 3, Offset: 1},
		"empty piece":               driver.Piece{ID: snapID, Offset: 1},
		"piece beyond the end":      driver.Piece{ID: snapID, Offset: 299, Data: "ab"},
		"piece of none":             driver.Piece{Data: "a"},
		"gone, of nothing":          driver.Gone{},
		"gone, of two":              driver.Gone{ID: snapID, Slot: 2},
		"no members":                driver.Gone{ID: id(func(c *driver.SnapshotID) { c.Handle.Members = nil })},
		"members out of order":      driver.Gone{ID: id(func(c *driver.SnapshotID) { c.Handle.Members[0] = 2 })},
		"member 0":                  driver.Gone{ID: id(func(c *driver.SnapshotID) { c.Handle.Members[0] = 0 })},
		"no size":                   driver.Gone{ID: id(func(c *driver.SnapshotID) { c.Size = 0 })},
		"slot 0 and a sum":          driver.Ask{ID: id(func(c *driver.SnapshotID) { c.Handle.Slot = 0 }), Slot: 3},
		"asks for the sum of none":  driver.AskSum{},
		"tells the sum of none":     driver.TellSum{},
		"a slot beyond the last":    driver.NoSum{Slot: paxos.MaxSlot},
		"relays what it may not":    driver.Relay{From: 1, To: 2, M: driver.Gone{Slot: 2}},
		"relays without a sender":   driver.Relay{To: 2, M: driver.AskSum{Slot: 2}},
		"relays without a receiver": driver.Relay{From: 1, M: driver.AskSum{Slot: 2}},
		"relays to itself":          driver.Relay{From: 2, To: 2, M: driver.AskSum{Slot: 2}},
		"relays a sum of none":      driver.Relay{From: 1, To: 2, M: driver.AskSum{}},
		"relays a relay":            driver.Relay{From: 1, To: 2, M: driver.Relay{From: 1, To: 2, M: driver.AskSum{Slot: 2}}},
		"more members than can be":  driver.Gone{ID: id(func(c *driver.SnapshotID) { c.Handle.Members = make([]paxos.NodeID, 65) })},
	} {
		_, err := driver.DecodeTransfer(string(driver.AppendTransfer(nil, m)))
		require.ErrorIs(t, err, driver.ErrMalformed, name)
	}
}

func FuzzDecodeTransfer(f *testing.F) {
	for _, c := range transfers {
		f.Add(driver.AppendTransfer(nil, c.m))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		m, err := driver.DecodeTransfer(string(b))
		if err != nil {
			require.ErrorIs(t, err, driver.ErrMalformed)
			return
		}
		require.Equal(t, b, driver.AppendTransfer(nil, m))
	})
}
