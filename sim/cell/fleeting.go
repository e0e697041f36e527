package cell

import (
	"github.com/chubbycell/chubby/paxos"
)

// hoard is how many slots more a hoarder keeps for laggards.
const hoard = 1_000

// hoards is how many slots more than the plan says a replica keeps for laggards.
func hoards(c *Cell, id paxos.NodeID) int {
	if c.plan.Hoarder == id {
		return hoard
	}
	return 0
}
