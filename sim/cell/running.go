package cell

import (
	"time"

	"github.com/chubbycell/chubby/sim"
)

func running(m *sim.Machine) *replica {
	r, _ := m.Process().(*replica)
	return r
}

// tell hands an input to a replica's process, as if an operator had asked.
func tell(m *sim.Machine, f func(r *replica, now time.Time)) {
	if r := running(m); r != nil && r.env != nil { // it may be paused before its first input
		r.env.Post(func(now time.Time) {
			now = r.reads(now)
			f(r, now)
			r.act()
		})
	}
}
