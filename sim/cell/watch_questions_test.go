package cell

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/driver"
	"github.com/chubbycell/chubby/sim/check/agreement"
)

func TestL1WhoLacksSomethingAsksAnother(t *testing.T) {
	records := func(from paxos.Slot) string {
		return string(paxos.AppendMessage(nil, paxos.Fetch{Slots: paxos.Range{From: from, To: 9}}))
	}
	piece := func(sum uint64, at int64) string {
		return string(driver.AppendTransfer(nil, driver.Ask{ID: driver.SnapshotID{Handle: paxos.Handle{Slot: 4, Members: []paxos.NodeID{1, 2, 3}}, Size: 100, Sum: sum}, Offset: at}))
	}
	for name, c := range map[string]struct {
		breaks bool
		run    func(f *facts)
	}{
		"records of one, for ever": {true, func(f *facts) {
			for range 3 {
				f.h.OnMessage(1, 2, records(5))
			}
		}},
		"records that come": {false, func(f *facts) {
			for from := paxos.Slot(1); from < 9; from++ {
				f.h.OnMessage(1, 2, records(from))
			}
		}},
		"records of all in turn": {false, func(f *facts) {
			for i := range 9 {
				f.h.OnMessage(1, paxos.NodeID(2+i%2), records(5))
			}
		}},
		"records, in several lives": {false, func(f *facts) {
			for range 9 {
				f.h.OnMessage(1, 2, records(5))
				f.h.OnStarted(1, paxos.Status{})
			}
		}},
		"a piece of one, for ever": {true, func(f *facts) {
			for range 3 {
				f.h.OnMessage(1, 2, piece(7, 50))
			}
		}},
		"a piece of one, twice": {false, func(f *facts) {
			for i := range 9 {
				f.h.OnMessage(1, paxos.NodeID(2+i/2%2), piece(7, 50))
			}
		}},
		"pieces that come, and that the disk refuses": {false, func(f *facts) {
			for range 9 {
				f.h.OnMessage(1, 2, piece(7, 0))
				f.h.OnPiecePut(1, &agreement.Pieces{}, driver.Piece{ID: driver.SnapshotID{Handle: paxos.Handle{Slot: 4, Members: []paxos.NodeID{1, 2, 3}}, Size: 100, Sum: 7}, Data: "x"})
			}
		}},
		"pieces of other snapshots": {false, func(f *facts) {
			for sum := range uint64(9) {
				f.h.OnMessage(1, 2, piece(sum, 0))
			}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFacts(t)
			c.run(f)
			if c.breaks {
				f.breaks("L1")
				return
			}
			f.good()
		})
	}
}

// What waited for a slow disk leaves at once: the same question to two peers by turns.
func TestL1TheSameWordsToAnotherPeerAreAnotherQuestion(t *testing.T) {
	c := someCell(t, 3)
	r := running(c.replicas[0])
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
