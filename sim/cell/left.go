package cell

import (
	"github.com/chubbycell/chubby/internal/invariant"
	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/state/lock"
	"github.com/chubbycell/chubby/sim/event"
)

// publishStatus publishes the status of each replica, once, when the run ends or breaks. It does
// nothing without listeners.
func publishStatus(c *Cell) {
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
			e.Locks, e.Delays = locksOf(n.Rows())
			if s := n.Serving(); s != nil {
				e.Epoch = s.Epoch
			}
		}
		c.publish(e)
	}
}

// locksOf returns the locks that are held and the lock-delays that run, by the rows of a replica; none if
// the rows break an invariant of the lock table, as damaged ones may.
func locksOf(r lock.Reader) (held []lock.Holding, delays []lock.Delay) {
	if invariant.Caught(func() { held, delays = lock.Holdings(r), lock.Delays(r) }) != nil {
		return nil, nil
	}
	return held, delays
}
