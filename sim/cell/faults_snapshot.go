package cell

import (
	"slices"
	"strings"

	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/check/agreement"
)

// rotSnapshot lets the newest snapshot of a replica go bad. The one before is
// left alone, and one next to it that went bad before is gone by then: log and
// older snapshot are worth as much. So is the log alone where there was no other yet:
// nothing is dropped on the word of one. Often this happens while the snapshot is fetched
// by another one, so that its replica finds it bad, and goes on.
func rotSnapshot(c *Cell, d *sim.Draw) {
	m := c.anyReplica(d)
	if d.Chance(1, 2) {
		c.rotServed(m, d)
		return
	}
	if s, file, ok := c.rotNewest(m, d, 0); ok {
		s.garbage(file, 0, s.size(file))
		s.reread()
	}
}

// rotServed takes a replica away for a while, and lets a snapshot go bad of which a piece
// has just left for another one, behind that piece.
func (c *Cell) rotServed(away *sim.Machine, d *sim.Draw) {
	c.cutPower(away, d)
	c.transfers.onPiece = append(c.transfers.onPiece, func(p piece) bool {
		end := p.Offset + int64(len(p.Data))
		s, file, ok := c.rotNewest(p.source, d, p.ID.Handle.Slot)
		if ok {
			s.garbage(file, end, s.size(file)-end)
		}
		return ok
	})
}

// rotNewest takes the newest snapshot of a replica, if it may go bad and is of this slot,
// and notes that it does. Slot 0 is any.
func (c *Cell) rotNewest(m *sim.Machine, d *sim.Draw, slot paxos.Slot) (s decayed, file string, ok bool) {
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
	if newest, _ := agreement.SnapshotIn(file); slot != 0 && slot != newest || !c.watch.Budget.Take(id) {
		return s, "", false
	}
	if c.rotten == nil {
		c.rotten = map[paxos.NodeID][]string{}
	}
	c.rotten[id] = append(c.rotten[id], file)
	return decayed{c: c, d: d, m: m, id: id, mem: mem}, file, true
}

// size is how long a file is.
func (s *decayed) size(file string) int64 {
	b, err := s.mem.Contents(file)
	must(err)
	return int64(len(b))
}
