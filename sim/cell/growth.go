package cell

import (
	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/sim/check/growth"
)

// bounds looks at every replica that runs, unless its rows were made to differ (L2).
func (c *Cell) bounds() {
	var all []growth.Life
	for _, m := range c.machines.Replicas {
		if r := running(m); r != nil && r.Host.Core() != nil && !c.watch.Disks[r.Id].Stray {
			all = append(all, grown(r))
		}
	}
	c.growth.Look(all)
}

// grown is a replica as its bounds need it.
func grown(r *replica) growth.Life {
	return growth.Life{ID: r.Id, Host: r.Host, Damaged: r.damaged, Missed: r.missed, Behind: r.behind}
}

// bounded is the cell as the checker of growth sees it.
type bounded struct{ c *Cell }

func (b bounded) Top() paxos.Slot                      { return b.c.watch.Top }
func (b bounded) KeepSlots(id paxos.NodeID) paxos.Slot { return b.c.configs.KeepSlots(id) }
func (b bounded) Opened() int                          { return b.c.load.Sessions + b.c.promises.Renewed }
