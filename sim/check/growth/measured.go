package growth

import (
	"strings"

	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/master"
	"github.com/chubbycell/chubby/replica/master/nodeops"
	"github.com/chubbycell/chubby/replica/state/lock"
	"github.com/chubbycell/chubby/replica/state/rows"
	"github.com/chubbycell/chubby/sim"
)

// measured is what one replica holds at one instant.
type measured struct {
	node      paxos.Status
	master    master.Status
	ops       nodeops.Status
	inFlight  int // slots
	sessions  int
	answers   int // stored answers
	delays    int // lock-delays in the rows
	sums      int // of slots
	records   int // records that wait for the log
	snapshots int // on its disk
	log       int // bytes
}

// measure asks a replica, and reads its disk.
func (c *Checker) measure(r *Life) measured {
	core := r.Host.Core()
	now := core.Rows()
	m := measured{
		node: core.Status(), master: core.Master(), ops: core.NodeOps(), inFlight: core.InFlight(),
		sessions: int(rows.GetTotals(now).Sessions), delays: len(lock.Delays(now)),
		sums: r.Host.Sums(), records: r.Host.Waiting(),
	}
	for range now.Scan(string(rune(rows.FamilyAnswer))) {
		m.answers++
	}
	for _, f := range c.world.Machine(sim.Addr(r.ID)).Disk().Mem().Files() {
		switch {
		case strings.HasSuffix(f.Name, ".snap"):
			m.snapshots++
		case strings.HasSuffix(f.Name, ".wal"):
			m.log += int(f.Size)
		}
	}
	return m
}
