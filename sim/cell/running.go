package cell

import (
	"time"

	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/cluster"
)

func running(m *sim.Machine) *replica {
	if p, ok := m.Process().(*cluster.Replica); ok {
		r, _ := p.Observer.(*replica)
		return r
	}
	return nil
}

// tell hands an input to a replica's process, as if an operator had asked.
func tell(m *sim.Machine, f func(r *replica, now time.Time)) {
	if r := running(m); r != nil {
		r.Tell(func(now time.Time) { f(r, now) })
	}
}
