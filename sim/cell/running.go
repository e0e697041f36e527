package cell

import (
	"time"

	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/cluster"
)

// running returns the replica that runs on a machine, or nil if none does.
func running(m *sim.Machine) *replica {
	if p, ok := m.Process().(*cluster.Replica); ok {
		r, _ := p.Observer.(*replica)
		return r
	}
	return nil
}

// tell gives an input to a replica's process, as a request of an operator would. It does nothing if
// no process runs.
func tell(m *sim.Machine, f func(r *replica, now time.Time)) {
	if r := running(m); r != nil {
		r.Tell(func(now time.Time) { f(r, now) })
	}
}
