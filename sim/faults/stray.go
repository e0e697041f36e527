package faults

import (
	"strconv"

	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/sim"
)

// stray writes a row into one replica's memory that no command made, at times without changing the
// checksum. No client reads the row, so it only makes rows and checksums differ. A comparison with
// other replicas, or of the rows with their checksum, must stop the replica (S6). Its next life no
// longer has the row.
func stray(c *Faults, d *sim.Draw) {
	m := anyReplica(c, d)
	id := paxos.NodeID(m.Addr())
	n := c.cluster.Core(m)
	if n == nil || !c.budget.Take(id) {
		return
	}
	key := strayFamilies[d.Int(len(strayFamilies)):][:1] + "~~~~~~~~~~~~~~~~"
	value := strconv.FormatUint(d.Uint64(), 16)
	if d.Chance(1, 3) {
		c.world.Tracef(m.Addr(), "fault", "memory.damage a row is written, and the checksum of all rows does not change")
		c.facts.OnRowRot(id)
		n.RotRow(key, value)
	} else {
		c.world.Tracef(m.Addr(), "fault", "memory.damage a row is written, and the checksum of all rows changes with it")
		c.facts.OnRowStray(id)
		n.CorruptRow(key, value)
	}
}

// strayFamilies are the first bytes of rows that a stray write may make: user rows, constants,
// answers, openers, sessions (replica/state/rows). The following bytes keep them apart from all
// rows that clients use.
const strayFamilies = "ucdos"
