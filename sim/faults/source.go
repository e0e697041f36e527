package faults

import (
	"bytes"
	"slices"

	"github.com/chubbycell/chubby/replica/driver"
	"github.com/chubbycell/chubby/sim"
)

// piece is a piece of a snapshot on its way.
type piece struct {
	source, fetcher *sim.Machine
	wire            []byte
	driver.Piece
}

// transfers are functions that wait for messages of snapshot transfers. Each reports whether it
// waited for this message; if so, it is not called again.
type transfers struct {
	onPiece []func(p piece) bool
	onLast  []func(p piece) bool
	onAsk   []func(from *sim.Machine, a driver.Ask) bool
}

// loseSource takes a replica away for a while, and then the replica from which it fetches a
// snapshot, in the middle of the transfer. Pieces from that source may come again when they fit
// into the transfer of another snapshot. Or the fetching replica's disk stands still as the last
// piece comes, for long enough to ask each of the others for records. Records wait for no disk, and
// may bring the replica further than the snapshot.
func loseSource(c *Faults, d *sim.Draw) {
	cutPower(c, anyReplica(c, d), d)
	if d.Chance(1, 4) || c.plan.Hoarder != 0 && d.Chance(1, 2) {
		c.transfers.onLast = append(c.transfers.onLast, keptOf(c, func(p piece) bool {
			p.fetcher.Disk().Stall(16*c.plan.Driver.Core.Paxos.Retransmit + Outage(d))
			return true
		}))
		return
	}
	c.transfers.onPiece = append(c.transfers.onPiece, func(p piece) bool { return echoPiece(c, p) })
	c.transfers.onPiece = append(c.transfers.onPiece, keptOf(c, func(p piece) bool {
		switch d.Int(3) {
		case 0:
			c.later(0, func() { cutPower(c, p.source, d) })
		case 1:
			p.source.PauseFor(Outage(d))
		case 2:
			c.world.Net().Isolate(p.source.Addr())
			c.until(Outage(d), func() { c.world.Net().Rejoin(p.source.Addr()) })
		}
		return true
	}))
}

// echoPiece delivers a piece, which is not the first one, again when its fetcher has asked for
// another snapshot from that offset on.
func echoPiece(c *Faults, p piece) bool {
	if p.Offset == 0 {
		return false
	}
	c.transfers.onAsk = append(c.transfers.onAsk, func(from *sim.Machine, a driver.Ask) bool {
		fits := from == p.fetcher && a.Offset == p.Offset && !a.ID.Equal(p.ID)
		if fits {
			c.world.Net().Link(p.source.Addr(), p.fetcher.Addr()).Echo(p.wire)
		}
		return fits
	})
	return true
}

// OnPeerMessage is called for each message that a replica sends to another.
func (c *Faults) OnPeerMessage(from, to sim.Addr, wire []byte) {
	t := &c.transfers
	if len(t.onPiece) == 0 && len(t.onLast) == 0 && len(t.onAsk) == 0 || !driver.IsTransfer(string(wire)) {
		return
	}
	switch m, err := driver.DecodeTransfer(string(wire)); m := m.(type) {
	case driver.Piece:
		p, waiting := piece{c.world.Machine(from), c.world.Machine(to), bytes.Clone(wire), m}, &t.onPiece
		if m.Offset+int64(len(m.Data)) == m.ID.Size {
			waiting = &t.onLast
		}
		if err == nil {
			*waiting = slices.DeleteFunc(*waiting, func(strike func(piece) bool) bool { return strike(p) })
		}
	case driver.Ask:
		t.onAsk = slices.DeleteFunc(t.onAsk, func(strike func(*sim.Machine, driver.Ask) bool) bool { return strike(c.world.Machine(from), m) })
	}
}
