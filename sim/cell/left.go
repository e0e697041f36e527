package cell

import (
	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/sim/event"
)

// leaves tells what each replica takes itself for as the run ends, or as it breaks, where that is listened to. It does so once.
func leaves(c *Cell) {
	if c.left || !c.events.Wanted() {
		return
	}
	c.left = true
	for _, m := range c.machines.Replicas {
		e := event.Left{Replica: paxos.NodeID(m.Addr())}
		if r := running(m); r != nil && r.Host.Core() != nil {
			n := r.Host.Core()
			status := n.Status()
			e.Local, e.Status, e.Lease = r.Now, &status, n.Lease()
			if s := n.Serving(); s != nil {
				e.Epoch = s.Epoch
			}
		}
		c.publish(e)
	}
}
