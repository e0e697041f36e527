package cell

import (
	"slices"
	"strings"

	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/host"
	"github.com/chubbycell/chubby/sim"
)

// rotSnapshot lets the newest snapshot of a replica go bad. The one before is
// left alone, and one next to it that went bad before is gone by then: log and
// older snapshot are worth as much.
func rotSnapshot(c *Cell, d *sim.Draw) {
	m := c.anyReplica(d)
	mem := m.Disk().Mem()
	var files []string // ascending by slot, as their names are
	for _, f := range mem.Files() {
		if strings.HasSuffix(f.Name, ".snap") {
			files = append(files, f.Name)
		}
	}
	n, id := len(files), paxos.NodeID(m.Addr())
	if n < 2 || slices.Contains(c.rotten[id], files[n-2]) || !c.watch.atlas.take(id) {
		return
	}
	if c.rotten == nil {
		c.rotten = map[paxos.NodeID][]string{}
	}
	c.rotten[id] = append(c.rotten[id], files[n-1])
	b, err := mem.Contents(files[n-1])
	must(err)
	s := decayed{c: c, d: d, m: m, id: id, mem: mem}
	s.garbage(files[n-1], 0, int64(len(b)))
	s.reread()
}

// loseSource takes a replica away for a while, and then the one from which it
// fetches a snapshot, in the middle of that.
func loseSource(c *Cell, d *sim.Draw) {
	c.cutPower(c.anyReplica(d), d)
	c.onPiece = append(c.onPiece, func(source *sim.Machine) {
		switch d.Int(3) {
		case 0:
			c.later(0, func() { c.cutPower(source, d) })
		case 1:
			source.PauseFor(outage(d))
		case 2:
			c.world.Net().Isolate(source.Addr())
			c.until(outage(d), func() { c.world.Net().Rejoin(source.Addr()) })
		}
	})
}

// gives is told of each message that a replica sends, and lets strikes go that
// wait for a piece of a snapshot which is not the last one.
func (c *Cell) gives(from sim.Addr, wire []byte) {
	if len(c.onPiece) == 0 {
		return
	}
	t, err := host.DecodeTransfer(string(wire))
	if p, ok := t.(host.Piece); err == nil && ok && p.Offset+int64(len(p.Data)) < p.ID.Size {
		strikes := c.onPiece
		c.onPiece = nil
		for _, strike := range strikes {
			strike(c.world.Machine(from))
		}
	}
}
