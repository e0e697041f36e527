package faults

import (
	"slices"
	"strings"

	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/damage"
)

// rotSnapshot makes the newest snapshot of a replica go bad. It spares the snapshot before it, and
// does nothing if that one has gone bad already: the log and the older snapshot must be able to
// replace the bad one. If there is no older one yet, the log alone can, because a replica drops no
// records while it has only one snapshot. Often this happens while another replica fetches the
// snapshot, which then finds it bad and continues.
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

// rotServed takes a replica away for a while. When a piece of a snapshot has just left for another
// replica, it makes the rest of that snapshot, behind the piece, go bad.
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

// rotNewest returns the newest snapshot of a replica, if it may go bad and is of this slot, and
// records that it does. Slot 0 is any.
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
