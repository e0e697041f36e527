package cell

import (
	"slices"
	"strings"

	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/sim"
)

// rotSnapshot lets the newest snapshot of a replica go bad. The one before is
// left alone, and one next to it that went bad before is gone by then: log and
// older snapshot are worth as much. So is the log alone where there was no other yet:
// nothing is dropped on the word of one.
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
	if n == 0 || n > 1 && slices.Contains(c.rotten[id], files[n-2]) || !c.watch.atlas.Take(id) {
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
