package cell

import (
	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/sim/check/growth"
)

// checkBounds checks the sizes of every running replica, unless a fault has changed its rows (L2).
func (c *Cell) checkBounds() {
	var all []growth.Life
	for _, m := range c.machines.Replicas {
		if r := running(m); r != nil && r.Host.Core() != nil && !c.watch.Disks[r.Id].Stray {
			all = append(all, grown(r))
		}
	}
	c.growth.Look(all)
}

// grown returns the replica as the checker of growth needs it.
func grown(r *replica) growth.Life {
	return growth.Life{ID: r.Id, Host: r.Host, Damaged: r.damaged, Missed: r.missed, Behind: r.behind, Bad: r.rotten}
}

// bounded is the cell as the checker of growth sees it.
type bounded struct{ c *Cell }

func (b bounded) Top() paxos.Slot                      { return b.c.watch.Top }
func (b bounded) KeepSlots(id paxos.NodeID) paxos.Slot { return b.c.configs.KeepSlots(id) }
func (b bounded) Opened() int                          { return b.c.load.Sessions + b.c.promises.Renewed }
