package faults

import (
	"slices"
	"strings"

	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/damage"
)

// rotSnapshot lets the newest snapshot of a replica go bad. The one before is
// left alone, and one next to it that went bad before is gone by then: log and
// older snapshot are worth as much. So is the log alone where there was no other yet:
// nothing is dropped on the word of one. Often this happens while the snapshot is fetched
// by another one, so that its replica finds it bad, and goes on.
func rotSnapshot(c *Faults, d *sim.Draw) {
	m := anyReplica(c, d)
	if d.Chance(1, 2) {
		rotServed(c, m, d)
		return
	}
	if s, file, ok := rotNewest(c, m, d, 0); ok {
		s.Garbage(file, 0, s.Size(file))
		s.reread()
	}
}

// rotServed takes a replica away for a while, and lets a snapshot go bad of which a piece
// has just left for another one, behind that piece.
func rotServed(c *Faults, away *sim.Machine, d *sim.Draw) {
	cutPower(c, away, d)
	c.transfers.onPiece = append(c.transfers.onPiece, func(p piece) bool {
		end := p.Offset + int64(len(p.Data))
		s, file, ok := rotNewest(c, p.source, d, p.ID.Handle.Slot)
		if ok {
			s.Garbage(file, end, s.Size(file)-end)
		}
		return ok
	})
}

// rotNewest takes the newest snapshot of a replica, if it may go bad and is of this slot,
// and notes that it does. Slot 0 is any.
func rotNewest(c *Faults, m *sim.Machine, d *sim.Draw, slot paxos.Slot) (s decayed, file string, ok bool) {
	mem := m.Disk().Mem()
	var files []string // ascending by slot, as their names are
	for _, f := range mem.Files() {
		if strings.HasSuffix(f.Name, ".snap") {
			files = append(files, f.Name)
		}
	}
	n, id := len(files), paxos.NodeID(m.Addr())
	if n == 0 || n > 1 && slices.Contains(c.rotten[id], files[n-2]) {
		return s, "", false
	}
	file = files[n-1]
	if newest, _ := damage.SnapshotIn(file); slot != 0 && slot != newest || !c.budget.Take(id) {
		return s, "", false
	}
	if c.rotten == nil {
		c.rotten = map[paxos.NodeID][]string{}
	}
	c.rotten[id] = append(c.rotten[id], file)
	return decayed{Disk: damage.Disk{Draw: d, Mem: mem, Note: noteOf(c, m)}, c: c, m: m, id: id}, file, true
}
