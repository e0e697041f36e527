package agreement

import (
	"testing"

	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/driver"
)

func TestL1ALaggardAsksAnotherPeer(t *testing.T) {
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
				f.h.Claims.OnMessage(1, 2, records(5))
			}
		}},
		"records that come": {false, func(f *facts) {
			for from := paxos.Slot(1); from < 9; from++ {
				f.h.Claims.OnMessage(1, 2, records(from))
			}
		}},
		"records of all in turn": {false, func(f *facts) {
			for i := range 9 {
				f.h.Claims.OnMessage(1, paxos.NodeID(2+i%2), records(5))
			}
		}},
		"records, in several lives": {false, func(f *facts) {
			for range 9 {
				f.h.Claims.OnMessage(1, 2, records(5))
				f.h.Logs.OnStarted(1, paxos.Status{})
			}
		}},
		"a piece of one, for ever": {true, func(f *facts) {
			for range 3 {
				f.h.Claims.OnMessage(1, 2, piece(7, 50))
			}
		}},
		"a piece of one, twice": {false, func(f *facts) {
			for i := range 9 {
				f.h.Claims.OnMessage(1, paxos.NodeID(2+i/2%2), piece(7, 50))
			}
		}},
		"pieces that come, and that the disk refuses": {false, func(f *facts) {
			for range 9 {
				f.h.Claims.OnMessage(1, 2, piece(7, 0))
				f.h.Snapshots.OnPiecePut(1, &Pieces{}, driver.Piece{ID: driver.SnapshotID{Handle: paxos.Handle{Slot: 4, Members: []paxos.NodeID{1, 2, 3}}, Size: 100, Sum: 7}, Data: "x"})
			}
		}},
		"pieces of other snapshots": {false, func(f *facts) {
			for sum := range uint64(9) {
				f.h.Claims.OnMessage(1, 2, piece(sum, 0))
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
